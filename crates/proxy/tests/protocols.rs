//! HTTP/2 and TLS, to clients and to origins.

use std::path::Path;
use std::sync::Arc;

use crate::support::*;
use bytes::Bytes;
use pingora_rustls::{
    ClientConfig, RootCertStore, ServerName, TlsConnector, install_default_crypto_provider,
    load_ca_file_into_store,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

const FRESH: &str = "Cache-Control: max-age=60\r\n";

fn pem(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name);
    path.display().to_string()
}

/// Asks for each path over one connection of HTTP/2, all at once; status, Cache-Status and body.
async fn ask_h2(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    scheme: &str,
    paths: &[&str],
) -> Result<Vec<(u16, String, Vec<u8>)>> {
    let (mut client, connection) = h2::client::handshake(stream).await?;
    tokio::spawn(async move { drop(connection.await) });
    let mut answers = Vec::new();
    for path in paths {
        let uri = format!("{scheme}://a.example{path}");
        client = client.ready().await?;
        let (answer, _) = client.send_request(http::Request::get(uri).body(())?, true)?;
        answers.push(answer);
    }
    let mut all = Vec::new();
    for answer in answers {
        let (head, mut body) = answer.await?.into_parts();
        let mut text = Vec::new();
        while let Some(data) = body.data().await {
            let data: Bytes = data?;
            body.flow_control().release_capacity(data.len())?;
            text.extend_from_slice(&data);
        }
        let said = head.headers.get("cache-status").ok_or("no Cache-Status")?.to_str()?.to_owned();
        all.push((head.status.as_u16(), said, text));
    }
    Ok(all)
}

#[test]
fn http2_and_http1_share_one_cache() -> Result<()> {
    run(async {
        let origin = answering(|number, _| ok(FRESH, &format!("{number}"))).await?;
        let proxy = proxy(&origin.url(), "").await?;
        let stream = TcpStream::connect(proxy.addresses()[0]).await?;
        let answers = ask_h2(stream, "http", &["/a", "/a", "/a"]).await?;
        assert!(
            answers.iter().all(|(status, _, body)| *status == 200 && body == b"0"),
            "{answers:?}"
        );
        assert_eq!(get(&proxy, "/a", "").await?.cache(), "forebay; hit");
        assert_eq!(origin.count(), 1);
        Ok(())
    })
}

#[test]
fn a_leader_of_http2_that_does_not_read_holds_up_nobody() -> Result<()> {
    run(async {
        const SIZE: usize = 4 << 20;
        let origin = origin(|_, _, mut stream| async move {
            let head = format!("HTTP/1.1 200 OK\r\n{FRESH}Content-Length: {SIZE}\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&vec![b'x'; SIZE]).await
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let stream = TcpStream::connect(proxy.addresses()[0]).await?;
        let (mut client, connection) = h2::client::handshake(stream).await?;
        tokio::spawn(async move { drop(connection.await) });
        let uri = "http://a.example/";
        let (answer, _) = client.send_request(http::Request::get(uri).body(())?, true)?;
        // It takes the header, and no more of the body than the window that it gave.
        let mut body = answer.await?.into_body();
        let got = get(&proxy, "/", "").await?;
        assert_eq!((got.whole, got.body.len(), origin.count()), (true, SIZE, 1));
        // It can still have the rest.
        let mut length = 0;
        while let Some(data) = body.data().await {
            let data: Bytes = data?;
            body.flow_control().release_capacity(data.len())?;
            length += data.len();
        }
        assert_eq!(length, SIZE);
        Ok(())
    })
}

#[test]
fn bodies_go_both_ways_by_http2() -> Result<()> {
    run(async {
        let origin = origin(|_, header, mut stream| async move {
            let length = header.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
            });
            let mut body = vec![0; length.unwrap_or(0)];
            stream.read_exact(&mut body).await?;
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let stream = TcpStream::connect(proxy.addresses()[0]).await?;
        let (mut client, connection) = h2::client::handshake(stream).await?;
        tokio::spawn(async move { drop(connection.await) });
        let sent: Vec<u8> = (0..50_000_u32).map(|at| (at % 251) as u8).collect();
        let post = http::Request::post("http://a.example/").header("content-length", sent.len());
        let (answer, mut to) = client.send_request(post.body(())?, false)?;
        to.send_data(Bytes::from(sent.clone()), true)?;
        let mut body = answer.await?.into_body();
        let mut got = Vec::new();
        while let Some(data) = body.data().await {
            let data: Bytes = data?;
            body.flow_control().release_capacity(data.len())?;
            got.extend_from_slice(&data);
        }
        assert_eq!(got, sent);
        // Nothing, and what only HEAD asks for.
        for method in ["HEAD", "OPTIONS"] {
            let request = http::Request::builder().method(method).uri("http://a.example/");
            client = client.ready().await?;
            let (answer, _) = client.send_request(request.body(())?, true)?;
            let (head, mut body) = answer.await?.into_parts();
            assert_eq!(head.status, 200);
            while let Some(data) = body.data().await {
                assert!(data?.is_empty(), "{method}");
            }
        }
        Ok(())
    })
}

#[test]
fn clients_come_by_tls_with_http1_and_http2() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "secret")).await?;
        let lines = format!(
            "[tls]\ncertificate = \"{}\"\nkey = \"{}\"",
            pem("certificate.pem"),
            pem("key.pem")
        );
        let proxy = proxy(&origin.url(), &lines).await?;
        install_default_crypto_provider();
        let mut roots = RootCertStore::empty();
        load_ca_file_into_store(pem("certificate.pem"), &mut roots)?;
        for protocol in ["http/1.1", "h2"] {
            let mut config =
                ClientConfig::builder().with_root_certificates(roots.clone()).with_no_client_auth();
            config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
            let connector = TlsConnector::from(Arc::new(config));
            let stream = TcpStream::connect(proxy.addresses()[0]).await?;
            let mut stream = connector.connect(ServerName::try_from("localhost")?, stream).await?;
            if protocol == "h2" {
                let answers = ask_h2(stream, "https", &["/"]).await?;
                assert_eq!(answers[0].2, b"secret");
                assert!(answers[0].1.starts_with("forebay; hit"), "{}", answers[0].1);
            } else {
                stream.write_all(request("/", "").as_bytes()).await?;
                assert_eq!(read_answer(&mut stream, false).await?.text(), "secret");
            }
        }
        Ok(())
    })
}

#[test]
fn an_origin_by_tls_is_checked() -> Result<()> {
    run(async {
        // The origin is a proxy itself, with TLS.
        let behind = answering(|_, _| ok(FRESH, "far")).await?;
        let lines = format!(
            "[tls]\ncertificate = \"{}\"\nkey = \"{}\"",
            pem("certificate.pem"),
            pem("key.pem")
        );
        let origin = proxy(&behind.url(), &lines).await?;
        let port = origin.addresses()[0].port();
        let trusted = format!("authorities = \"{}\"", pem("certificate.pem"));
        let near = proxy(&format!("https://localhost:{port}"), &trusted).await?;
        assert_eq!(get(&near, "/", "").await?.text(), "far");
        let other = proxy(&format!("https://localhost:{port}"), "").await?;
        let refused = get(&other, "/", "").await?;
        assert_eq!(
            (refused.status, refused.cache().as_str()),
            (502, "forebay; detail=origin-failed")
        );
        Ok(())
    })
}

#[test]
fn a_key_that_does_not_fit_is_refused_before_anything_listens() -> Result<()> {
    run(async {
        for (certificate, key, said) in [
            ("none.pem", "key.pem", "tls.certificate"),
            ("certificate.pem", "none.pem", "tls.key"),
            ("key.pem", "key.pem", "certificate"),
        ] {
            let lines =
                format!("[tls]\ncertificate = \"{}\"\nkey = \"{}\"", pem(certificate), pem(key));
            let error =
                proxy("http://127.0.0.1:1", &lines).await.err().ok_or("it started")?.to_string();
            assert!(error.contains(said) && error.contains(".pem"), "{error}");
        }
        Ok(())
    })
}

#[test]
fn authorities_that_are_none_are_refused_before_anything_listens() -> Result<()> {
    run(async {
        for name in ["key.pem", "none.pem", "../protocols.rs"] {
            let lines = format!("authorities = \"{}\"", pem(name));
            let config = format!("{lines}\n[[origin]]\nurl = \"http://127.0.0.1:1\"\n");
            let config = forebay_proxy::Config::parse(&config, ".".as_ref())?;
            let error = forebay_proxy::check(&config).err().ok_or("it is right")?.to_string();
            assert!(error.contains("authorities = ") && error.contains(name), "{error}");
            assert!(proxy("http://127.0.0.1:1", &lines).await.is_err());
        }
        Ok(())
    })
}

#[test]
fn an_idle_client_of_http1_by_tls_leaves_in_time() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "secret")).await?;
        let lines = format!(
            "[tls]\ncertificate = \"{}\"\nkey = \"{}\"\n\
             [limits]\nconnections = 1\nclient_timeout = \"1 s\"",
            pem("certificate.pem"),
            pem("key.pem")
        );
        let proxy = proxy(&origin.url(), &lines).await?;
        install_default_crypto_provider();
        let mut roots = RootCertStore::empty();
        load_ca_file_into_store(pem("certificate.pem"), &mut roots)?;
        let mut config =
            ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let connector = TlsConnector::from(Arc::new(config));
        let mut idle = Vec::new();
        for _ in 0..3 {
            let stream = TcpStream::connect(proxy.addresses()[0]).await?;
            let name = ServerName::try_from("localhost")?;
            let shaken = connector.connect(name, stream);
            let mut stream =
                tokio::time::timeout(std::time::Duration::from_secs(10), shaken).await??;
            let asked = request("/", "").replace("Connection: close\r\n", "");
            stream.write_all(asked.as_bytes()).await?;
            assert_eq!(read_answer(&mut stream, false).await?.text(), "secret");
            idle.push(stream);
        }
        Ok(())
    })
}

#[test]
fn streams_that_are_reset_at_once_start_fetches_within_a_bound() -> Result<()> {
    run(async {
        let gate = Arc::new(tokio::sync::Semaphore::new(0));
        let open = gate.clone();
        let origin = origin(move |_, _, mut stream| {
            let open = open.clone();
            async move {
                open.acquire().await.map_err(std::io::Error::other)?.forget();
                stream.write_all(ok(FRESH, "body").as_bytes()).await
            }
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let (mut asked, mut ended) = (0, 0);
        for connection in 0..3 {
            let before = asked;
            let stream = TcpStream::connect(proxy.addresses()[0]).await?;
            let (mut client, ending) = h2::client::handshake(stream).await?;
            tokio::spawn(async move { drop(ending.await) });
            for number in 0..3000 {
                // It ends when the proxy has had enough.
                let Ok(ready) = client.ready().await else { break };
                client = ready;
                let uri = format!("http://a.example/{connection}/{number}");
                let Ok((_, mut stream)) =
                    client.send_request(http::Request::get(uri).body(())?, true)
                else {
                    break;
                };
                asked += 1;
                // So that it leaves before it is reset.
                tokio::task::yield_now().await;
                stream.send_reset(h2::Reason::CANCEL);
            }
            ended += u32::from(asked < before + 3000);
        }
        // A slow machine is told to stop before it has asked for as many as there may be.
        assert!(asked > 600 || ended == 3, "{asked} were asked, too few to show a bound");
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert!(origin.count() <= 3 * 201, "{} of {asked}", origin.count());
        // Others are served, and nothing stays behind.
        gate.add_permits(10_000);
        assert_eq!(get(&proxy, "/other", "").await?.text(), "body");
        until(|| proxy.cache().flights() == 0).await?;
        let stats = proxy.cache().stats();
        assert_eq!((stats.waiting, stats.bytes_arriving), (0, 0));
        Ok(())
    })
}
