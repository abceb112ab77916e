//! A Pingora service with a cache that knows delayed hits: it answers at 127.0.0.1:6188 from an
//! origin at 127.0.0.1:9000 (`forebay proxy origin` is one).

use forebay_pingora::Cache;
use pingora_cache::{CacheKey, RespCacheable};
use pingora_core::{server::Server, upstreams::peer::HttpPeer};
use pingora_error::Result;
use pingora_http::ResponseHeader as Header;
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};

struct Service(&'static Cache);

#[async_trait::async_trait]
impl ProxyHttp for Service {
    type CTX = ();
    fn new_ctx(&self) {}
    async fn upstream_peer(&self, _: &mut Session, (): &mut ()) -> Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new("127.0.0.1:9000", false, String::new())))
    }
    fn request_cache_filter(&self, session: &mut Session, (): &mut ()) -> Result<()> {
        if session.req_header().method.is_safe() {
            self.0.enable(&mut session.cache);
        }
        Ok(())
    }
    fn cache_key_callback(&self, session: &Session, (): &mut ()) -> Result<CacheKey> {
        Ok(CacheKey::new(session.req_header().raw_path(), ""))
    }
    fn response_cache_filter(&self, s: &Session, h: &Header, (): &mut ()) -> Result<RespCacheable> {
        Ok(self.0.admit(s.cache.cache_key(), s.req_header(), h))
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut server = Server::new(None)?;
    server.bootstrap();
    let cache = Cache::builder(1 << 30).policy("lru-mad").build_static()?;
    let mut proxy = http_proxy_service(&server.configuration, Service(cache));
    proxy.add_tcp("127.0.0.1:6188");
    server.add_service(proxy);
    server.run_forever()
}
