//! A Pingora service with a cache that knows delayed hits: it answers at 127.0.0.1:6188 from an
//! origin at 127.0.0.1:9000 (`forebay proxy origin` is one).

use forebay_pingora::Cache;
use pingora_cache::{CacheKey, CacheMetaDefaults, RespCacheable};
use pingora_cache::{cache_control::CacheControl, filters::resp_cacheable};
use pingora_core::{server::Server, upstreams::peer::HttpPeer};
use pingora_error::Result;
use pingora_http::ResponseHeader;
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};

struct Service(&'static Cache); // what Pingora serves from lives as long as the process
const FRESH: CacheMetaDefaults = CacheMetaDefaults::new(|_| None, 0, 0);

#[async_trait::async_trait]
impl ProxyHttp for Service {
    type CTX = ();
    fn new_ctx(&self) {}
    async fn upstream_peer(&self, _: &mut Session, (): &mut ()) -> Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new("127.0.0.1:9000", false, String::new())))
    }
    fn request_cache_filter(&self, session: &mut Session, (): &mut ()) -> Result<()> {
        // Storage, eviction manager and cache lock: the same object.
        session.cache.enable(self.0, Some(self.0), None, Some(self.0), None);
        Ok(())
    }
    fn cache_key_callback(&self, session: &Session, (): &mut ()) -> Result<CacheKey> {
        Ok(CacheKey::new(session.req_header().raw_path(), ""))
    }
    fn response_cache_filter(
        &self,
        session: &Session,
        response: &ResponseHeader,
        (): &mut (),
    ) -> Result<RespCacheable> {
        let control = CacheControl::from_resp_headers(response);
        let answer = resp_cacheable(control.as_ref(), response.clone(), false, &FRESH);
        Ok(self.0.make_room(session.cache.cache_key(), answer))
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let cache = Cache::builder(1 << 30).policy("lru-mad").build()?;
    let mut server = Server::new(None)?;
    server.bootstrap();
    let service = Service(Box::leak(Box::new(cache)));
    let mut proxy = http_proxy_service(&server.configuration, service);
    proxy.add_tcp("127.0.0.1:6188");
    server.add_service(proxy);
    server.run_forever()
}
