//! Clients that vanish, dawdle, smuggle and poison, with real sockets: others are served as if
//! there were no such clients.

use std::sync::Arc;
use std::time::Duration;

use crate::support::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

const FRESH: &str = "Cache-Control: max-age=60\r\n";

/// An origin that holds every answer back until it may go.
async fn held(body: &'static str) -> Result<(Origin, Arc<Semaphore>)> {
    let gate = Arc::new(Semaphore::new(0));
    let open = gate.clone();
    let origin = origin(move |_, _, mut stream| {
        let open = open.clone();
        async move {
            open.acquire().await.map_err(std::io::Error::other)?.forget();
            stream.write_all(ok(FRESH, body).as_bytes()).await
        }
    })
    .await?;
    Ok((origin, gate))
}

#[test]
fn a_leader_that_vanishes_leaves_its_fetch_to_those_who_wait() -> Result<()> {
    run(async {
        let (origin, gate) = held("body").await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let mut leader = TcpStream::connect(proxy.addresses()[0]).await?;
        leader.write_all(request("/", "").as_bytes()).await?;
        until(|| origin.count() == 1).await?;
        let clients: Vec<_> = (0..50)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/", "").await })
            })
            .collect();
        until(|| proxy.cache().stats().waiting == 50).await?;
        drop(leader);
        gate.add_permits(50);
        for client in clients {
            assert_eq!(client.await??.text(), "body");
        }
        assert!(origin.count() <= 2, "{}", origin.count());
        assert_eq!(get(&proxy, "/", "").await?.cache(), "forebay; hit");
        Ok(())
    })
}

#[test]
fn a_leader_that_does_not_read_holds_up_nobody() -> Result<()> {
    run(async {
        const SIZE: usize = 8 << 20;
        let origin = origin(|_, _, mut stream| async move {
            let head = format!("HTTP/1.1 200 OK\r\n{FRESH}Content-Length: {SIZE}\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&vec![b'x'; SIZE]).await
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let mut leader = TcpStream::connect(proxy.addresses()[0]).await?;
        leader.write_all(request("/", "").as_bytes()).await?;
        // It takes a byte, and then no more.
        leader.read_u8().await?;
        let got = get(&proxy, "/", "").await?;
        assert_eq!((got.whole, got.body.len()), (true, SIZE));
        assert_eq!(origin.count(), 1);
        // It can still have the rest.
        let rest = read_answer(&mut leader, false).await?;
        assert_eq!((rest.whole, rest.body.len()), (true, SIZE));
        Ok(())
    })
}

#[test]
fn two_ways_to_end_a_request_are_none() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        let proxy = proxy(&origin.url(), "").await?;
        let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a.example\r\n\r\n";
        for (lines, body) in [
            (
                "Content-Length: 44\r\nTransfer-Encoding: chunked\r\n",
                format!("0\r\n\r\n{smuggled}"),
            ),
            ("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", format!("0\r\n\r\n{smuggled}")),
            ("Content-Length: 0\r\nContent-Length: 44\r\n", smuggled.to_owned()),
            ("Transfer-Encoding: xchunked\r\n", format!("0\r\n\r\n{smuggled}")),
            ("Transfer-Encoding: gzip, chunked\r\n", format!("0\r\n\r\n{smuggled}")),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                format!("0\r\n\r\n{smuggled}"),
            ),
            ("Content-Length: +4\r\n", smuggled.to_owned()),
            ("Content-Length: 4,4\r\n", smuggled.to_owned()),
            ("Transfer-Encoding : chunked\r\n", format!("0\r\n\r\n{smuggled}")),
        ] {
            let text = format!("POST / HTTP/1.1\r\nHost: a.example\r\n{lines}\r\n{body}");
            let mut stream = TcpStream::connect(proxy.addresses()[0]).await?;
            stream.write_all(text.as_bytes()).await?;
            let mut all = Vec::new();
            drop(
                tokio::time::timeout(Duration::from_millis(500), stream.read_to_end(&mut all))
                    .await,
            );
            // It is refused; or Transfer-Encoding alone counts, and the connection ends with the
            // answer (RFC 9112, 6.1), so that what comes after it is no request.
            let all = String::from_utf8_lossy(&all).to_ascii_lowercase();
            let ended = all.starts_with("http/1.1 200") && all.contains("connection: close");
            let statuses = ["http/1.1 400", "http/1.1 501"];
            let refused = all.is_empty() || statuses.iter().any(|start| all.starts_with(start));
            assert!(ended || refused, "{lines:?}: {all}");
            // What would be taken off a body is not passed on without it.
            assert!(!lines.contains("gzip") || all.starts_with("http/1.1 501"), "{all}");
            assert_eq!(all.matches("http/1.1").count(), all.len().min(1), "{lines:?}: {all}");
        }
        let asked = origin.asked.lock().map_err(|_| "poisoned")?;
        assert!(!asked.iter().any(|header| header.contains("smuggled")), "{asked:?}");
        Ok(())
    })
}

#[test]
fn the_target_says_the_host_and_odd_hosts_are_refused() -> Result<()> {
    run(async {
        let origin = answering(|number, _| ok(FRESH, &format!("{number}"))).await?;
        let proxy = proxy(&origin.url(), "").await?;
        let address = proxy.addresses()[0];
        assert_eq!(get(&proxy, "/x", "").await?.text(), "0");
        let absolute =
            "GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
        let got = send(address, absolute).await?;
        assert_eq!((got.text().as_str(), got.cache().as_str()), ("0", "forebay; hit"));
        // Host is in lower case; another one in the header than in the target poisons nothing.
        let upper = request("/x", "").replace("a.example", "A.EXAMPLE");
        assert_eq!(send(address, &upper).await?.cache(), "forebay; hit");
        let other =
            "GET http://b.example/x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
        let got = send(address, other).await?;
        assert!(got.status == 400 || got.cache().contains("uri-miss"), "{}", got.head);
        for hosts in [
            "",
            "Host: a.example\r\nHost: b.example\r\n",
            "Host: a.example/../b\r\n",
            "Host: a b\r\n",
            "Host: a@b\r\n",
        ] {
            let got =
                send(address, &format!("GET /x HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n"))
                    .await?;
            assert_eq!(got.status, 400, "{hosts:?}: {}", got.head);
        }
        assert_eq!(get(&proxy, "/x", "").await?.text(), "0");
        Ok(())
    })
}

#[test]
fn headers_that_are_no_part_of_the_key_do_not_reach_the_origin() -> Result<()> {
    run(async {
        let origin = answering(|_, header| ok(FRESH, &header.to_ascii_lowercase())).await?;
        let proxy = proxy(&origin.url(), "").await?;
        let lines = "X-Forwarded-Host: evil.example\r\nX-Original-URL: /evil\r\nX-Forwarded-Scheme: evil\r\n\
                     Forwarded: host=evil.example\r\nX-Forwarded-For: evil\r\n";
        let names = [
            "X-Forwarded-Server",
            "X-Forwarded-Prefix",
            "X-Forwarded-Ssl",
            "X-Forwarded-Uri",
            "X-Original-Host",
            "X-Method-Override",
            "X-HTTP-Method",
            "Front-End-Https",
            "True-Client-IP",
            "X-Real-IP",
        ];
        let more: String = names.iter().map(|name| format!("{name}: evil\r\n")).collect();
        let text = get(&proxy, "/", &format!("{lines}{more}")).await?.text();
        assert!(!text.contains("evil"), "{text}");
        assert!(text.contains("x-forwarded-for: 127.0.0.1"), "{text}");
        // What is not cached may carry them.
        let post = request("/", &format!("{lines}Content-Length: 0\r\n")).replace("GET", "POST");
        assert!(send(proxy.addresses()[0], &post).await?.text().contains("evil.example"));
        Ok(())
    })
}

#[test]
fn what_is_asked_of_servers_on_the_way_is_answered_where_it_should_be() -> Result<()> {
    run(async {
        let origin = answering(|_, header| ok("", &header.to_ascii_lowercase())).await?;
        let proxy = proxy(&origin.url(), "").await?;
        let ask = async |method: &str, target: &str, lines: &str| {
            let asked = request(target, lines).replacen("GET", method, 1);
            send(proxy.addresses()[0], &asked).await
        };
        for lines in ["", "Max-Forwards: 0\r\n", "Max-Forwards: 7\r\n"] {
            let got = ask("TRACE", "/", lines).await?;
            assert_eq!(got.status, 405, "{}", got.head);
            assert!(got.header("allow").is_some_and(|all| all.contains("GET")), "{}", got.head);
        }
        assert_eq!(ask("OPTIONS", "*", "Max-Forwards: 0\r\n").await?.status, 204);
        assert_eq!(ask("GET", "*", "").await?.status, 400);
        assert_eq!(origin.count(), 0);
        assert!(ask("OPTIONS", "*", "").await?.text().starts_with("options * "));
        let text = ask("OPTIONS", "/a", "Max-Forwards: 7\r\n").await?.text();
        assert!(text.contains("max-forwards: 6\r\n"), "{text}");
        Ok(())
    })
}

#[test]
fn variants_without_end_take_bounded_room() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(&format!("{FRESH}Vary: X-Any\r\n"), "body")).await?;
        let proxy = proxy(&origin.url(), "[cache]\nvariants = 10").await?;
        get(&proxy, "/stays", "X-Any: 1\r\n").await?;
        let mut client = TcpStream::connect(proxy.addresses()[0]).await?;
        for number in 0..3000 {
            let asked = request("/", &format!("X-Any: {number}\r\n"));
            let asked = asked.replace("Connection: close\r\n", "");
            client.write_all(asked.as_bytes()).await?;
            assert_eq!(read_answer(&mut client, false).await?.text(), "body");
        }
        let stats = proxy.cache().stats();
        assert!(stats.objects <= 12 && stats.bytes < 12 * 2000, "{stats:?}");
        until(|| proxy.cache().stats().bytes_arriving == 0).await?;
        assert_eq!(get(&proxy, "/stays", "X-Any: 1\r\n").await?.cache(), "forebay; hit");
        Ok(())
    })
}

#[test]
fn large_headers_and_bodies_are_refused() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        let proxy = proxy(&origin.url(), "[limits]\nrequest_body = \"1 KB\"\nheaders = 20").await?;
        let address = proxy.addresses()[0];
        let many: String = (0..50).map(|number| format!("X-{number}: 1\r\n")).collect();
        assert_eq!(get(&proxy, "/", &many).await?.status, 431);
        let large = format!("X-Large: {}\r\n", "x".repeat(100_000));
        assert_eq!(get(&proxy, "/", &large).await?.status, 431);
        let post = |lines: &str| request("/", lines).replace("GET", "POST");
        let long = post("Content-Length: 2000\r\n") + &"x".repeat(2000);
        assert_eq!(send(address, &long).await?.status, 413);
        let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", 2000, "x".repeat(2000));
        assert_eq!(
            send(address, &(post("Transfer-Encoding: chunked\r\n") + &chunk)).await?.status,
            413
        );
        assert_eq!(send(address, &(post("Content-Length: 4\r\n") + "body")).await?.status, 200);
        Ok(())
    })
}

#[test]
fn more_clients_than_allowed_wait_their_turn() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        let proxy =
            proxy(&origin.url(), "[limits]\nconnections = 2\nclient_timeout = \"1 s\"").await?;
        // Two that say nothing, or too little, hold both places until their time is over.
        let address = proxy.addresses()[0];
        let _silent = TcpStream::connect(address).await?;
        let mut slow = TcpStream::connect(address).await?;
        slow.write_all(b"PRI * HT").await?;
        let mut third = TcpStream::connect(address).await?;
        third.write_all(request("/", "").as_bytes()).await?;
        assert_eq!(read_answer(&mut third, false).await?.text(), "body");
        Ok(())
    })
}

#[test]
fn idle_clients_make_room_for_new_ones() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        // Idle clients could stay for a minute, which is more than this test's patience.
        let lines = "[limits]\nconnections = 2\nclient_timeout = \"90 s\"";
        let proxy = proxy(&origin.url(), lines).await?;
        let mut clients = Vec::new();
        for number in 0..6 {
            let mut client = TcpStream::connect(proxy.addresses()[0]).await?;
            let asked = format!("GET /{number} HTTP/1.1\r\nHost: a.example\r\n\r\n");
            client.write_all(asked.as_bytes()).await?;
            assert_eq!(read_answer(&mut client, false).await?.status, 200);
            clients.push(client);
        }
        // Who has been idle for longest has gone, and who came last can go on.
        assert_eq!(clients[0].read(&mut [0; 10]).await?, 0);
        let last = &mut clients[5];
        last.write_all(request("/0", "").as_bytes()).await?;
        assert_eq!(read_answer(last, false).await?.status, 200);
        Ok(())
    })
}

#[test]
fn a_request_shorter_than_the_beginning_of_http2_is_one() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        let proxy = proxy(&origin.url(), "").await?;
        let mut client = TcpStream::connect(proxy.addresses()[0]).await?;
        // Byte by byte, and with a beginning that could be that of HTTP/2.
        for byte in b"PUT / HTTP/1.0\r\n\r\n" {
            client.write_all(&[*byte]).await?;
        }
        assert_eq!(read_answer(&mut client, false).await?.text(), "body");
        Ok(())
    })
}

#[test]
fn several_listeners_share_the_bound_on_clients_and_both_let_them_in() -> Result<()> {
    run(async {
        let origin = answering(|_, _| ok(FRESH, "body")).await?;
        let text = format!(
            "listen = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\nadmin = \"127.0.0.1:0\"\n\
             [limits]\nconnections = 4\nclient_timeout = \"90 s\"\n\
             [[origin]]\nurl = \"{}\"\n",
            origin.url()
        );
        let config = forebay_proxy::Config::parse(&text, ".".as_ref())?;
        let proxy = forebay_proxy::Running::start(config).await?;
        let mut clients = Vec::new();
        // Idle ones of both leave for new ones of either.
        for number in 0..40 {
            let mut client = TcpStream::connect(proxy.addresses()[number / 5 % 2]).await?;
            client.write_all(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").await?;
            assert_eq!(read_answer(&mut client, false).await?.text(), "body");
            let metrics = admin(&proxy, "GET", "/metrics").await?.text();
            let line = metrics.lines().find(|line| line.starts_with("forebay_connections "));
            let count: f64 = line.and_then(|line| line.split(' ').nth(1)).ok_or("none")?.parse()?;
            assert!((1.0..=4.0).contains(&count), "{count}");
            clients.push(client);
        }
        // Four that are busy hold all places; at either door one waits until one of them has ended.
        drop(clients);
        let (slow, gate) = held("late").await?;
        let config =
            forebay_proxy::Config::parse(&text.replace(&origin.url(), &slow.url()), ".".as_ref())?;
        let proxy = Arc::new(forebay_proxy::Running::start(config).await?);
        let ask = |number: usize| {
            let address = proxy.addresses()[number % 2];
            let asked = request(&format!("/{number}"), "");
            tokio::spawn(async move { send(address, &asked).await })
        };
        let asking: Vec<_> = (0..12).map(ask).collect();
        until(|| slow.count() == 4).await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(slow.count(), 4);
        gate.add_permits(12);
        for one in asking {
            assert_eq!(one.await??.text(), "late");
        }
        Ok(())
    })
}
