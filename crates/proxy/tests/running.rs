//! A proxy from its start to its end: looked at, told otherwise, and stopped.

use std::time::Duration;

use crate::support::*;
use tokio::io::AsyncWriteExt;

#[test]
fn the_admin_address_purges_and_refuses_other_pages() -> Result<()> {
    run(async {
        let origin =
            answering(|number, _| ok("Cache-Control: max-age=60\r\n", &format!("{number}")))
                .await?;
        let proxy = proxy(&origin.url(), "").await?;
        assert_eq!(get(&proxy, "/a?b", "").await?.text(), "0");
        assert_eq!(admin(&proxy, "POST", "/purge?a.example/a?b").await?.text(), "removed\n");
        assert_eq!(
            admin(&proxy, "POST", "/purge?a.example/a?b").await?.text(),
            "nothing was cached\n"
        );
        assert_eq!(get(&proxy, "/a?b", "").await?.text(), "1");
        // A whole URL is one, and what is none is refused.
        let whole = admin(&proxy, "POST", "/purge?http://a.example/a?b").await?;
        assert_eq!(whole.text(), "removed\n");
        for odd in ["url=http://a.example/a?b", "a.example", "/a?b", "ftp://a.example/a?b", ""] {
            let refused = admin(&proxy, "POST", &format!("/purge?{odd}")).await?;
            assert_eq!(refused.status, 400, "{odd}");
            assert!(refused.text().contains("/purge?www.example.com/a/b"), "{odd}");
        }
        assert_eq!(get(&proxy, "/a?b", "").await?.text(), "2");
        assert_eq!(admin(&proxy, "POST", "/clear").await?.text(), "1 removed\n");
        assert_eq!(admin(&proxy, "GET", "/clear").await?.status, 405);
        let address = proxy.admin().ok_or("none")?;
        for lines in
            ["Host: evil.example\r\n", "Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n"]
        {
            let answer = send(address, &format!("POST /clear HTTP/1.1\r\n{lines}\r\n")).await?;
            assert_eq!(answer.status, 403);
        }
        Ok(())
    })
}

#[test]
fn an_access_log_is_a_trace() -> Result<()> {
    run(async {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("requests.csv");
        let origin = answering(|_, header| match header.contains("/own") {
            true => ok("Cache-Control: no-store\r\n", "own"),
            false => ok("Cache-Control: max-age=60\r\n", "12345"),
        })
        .await?;
        let line = format!("access_log = \"{}\"", path.display());
        let proxy = proxy(&origin.url(), &line).await?;
        for path in ["/a", "/a", "/own", "/b"] {
            get(&proxy, path, "").await?;
        }
        proxy.shutdown().await?;
        let text = std::fs::read_to_string(&path)?;
        let config = forebay_cache::readers::CsvConfig::default();
        let trace = forebay_cache::readers::CsvTrace::new(text.as_bytes(), "requests.csv", config)?;
        let requests = trace.collect::<std::result::Result<Vec<_>, _>>()?;
        let objects: Vec<_> = requests.iter().map(|request| request.object).collect();
        assert_eq!(objects.len(), 3, "{text}");
        assert!(objects[0] == objects[1] && objects[1] != objects[2]);
        assert!(requests.iter().all(|request| request.size.get() == 5));
        Ok(())
    })
}

#[test]
fn another_configuration_is_taken_over_while_it_runs() -> Result<()> {
    run(async {
        let one = answering(|_, _| ok("", "one")).await?;
        let two = answering(|_, _| ok("", "two")).await?;
        let proxy = proxy(&one.url(), "").await?;
        assert_eq!(get(&proxy, "/", "").await?.text(), "one");
        let text = |url: &str, more: &str| {
            format!(
                "listen = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n{more}[[origin]]\nurl = \"{url}\"\n"
            )
        };
        let config = |text: String| forebay_proxy::Config::parse(&text, ".".as_ref());
        proxy.reload(config(text(&two.url(), ""))?)?;
        assert_eq!(get(&proxy, "/", "").await?.text(), "two");
        let refused = proxy.reload(config(text(&two.url(), "[cache]\nsize = \"1 MB\"\n"))?);
        assert!(
            refused.is_err_and(|error| error.to_string().starts_with("cache.size has changed"))
        );
        Ok(())
    })
}

#[test]
fn requests_under_way_end_when_it_stops() -> Result<()> {
    run(async {
        let (origin, gate) = held("Cache-Control: max-age=60\r\n").await?;
        let proxy = proxy(&origin.url(), "").await?;
        let address = proxy.addresses()[0];
        let client = tokio::spawn(async move { send(address, &request("/", "")).await });
        until(|| origin.count() == 1).await?;
        let stopping = tokio::spawn(proxy.shutdown());
        // Nobody new is let in; the one who waits is served.
        let mut refused = false;
        for _ in 0..1000 {
            refused = tokio::net::TcpStream::connect(address).await.is_err();
            if refused {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(refused);
        gate.add_permits(1);
        assert_eq!(client.await??.text(), "0");
        stopping.await??;
        Ok(())
    })
}

#[test]
fn lines_behind_a_request_that_is_cut_off_are_in_the_log() -> Result<()> {
    run(async {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("requests.csv");
        let origin = origin(|_, header, mut stream| async move {
            if header.contains("/never") {
                std::future::pending::<()>().await;
            }
            stream.write_all(ok("Cache-Control: max-age=60\r\n", "12345").as_bytes()).await
        })
        .await?;
        let lines = format!("access_log = \"{}\"\nshutdown = \"100 ms\"", path.display());
        let proxy = proxy(&origin.url(), &lines).await?;
        let address = proxy.addresses()[0];
        let mut first = tokio::net::TcpStream::connect(address).await?;
        first.write_all(request("/never", "").as_bytes()).await?;
        until(|| origin.count() == 1).await?;
        for path in ["/a", "/b", "/a"] {
            assert_eq!(get(&proxy, path, "").await?.text(), "12345");
        }
        proxy.shutdown().await?;
        let text = std::fs::read_to_string(&path)?;
        assert_eq!(text.lines().count(), 1 + 3, "{text}");
        Ok(())
    })
}
