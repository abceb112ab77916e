//! HTTP's rules of caching, with real sockets: RFC 9111, 5861, 9211.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::support::*;
use forebay_proxy::Running;
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;

const FRESH: &str = "Cache-Control: max-age=60\r\n";

#[test]
fn a_miss_is_stored_and_then_hit() -> Result<()> {
    run(async {
        let origin =
            answering(|number, _| ok("Cache-Control: max-age=60\r\n", &format!("{number}")))
                .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let first = get(&proxy, "/a?b", "").await?;
        assert_eq!((first.status, first.text().as_str()), (200, "0"), "{}", first.head);
        assert_eq!(first.cache(), "forebay; fwd=uri-miss; fwd-status=200; stored");
        assert_eq!(first.header("age"), None);
        let second = get(&proxy, "/a?b", "").await?;
        assert_eq!((second.text().as_str(), second.cache().as_str()), ("0", "forebay; hit"));
        assert!(second.header("age").is_some());
        let ttl = second.header("cache-status").and_then(|said| said.split("ttl=").nth(1));
        assert!(
            ttl.and_then(|ttl| ttl.parse::<i64>().ok()).is_some_and(|ttl| (50..=60).contains(&ttl))
        );
        // Another query, another host, another answer; HEAD is the same one.
        assert_eq!(get(&proxy, "/a?c", "").await?.text(), "1");
        let other = "GET /a?b HTTP/1.1\r\nHost: b.example\r\nConnection: close\r\n\r\n";
        assert_eq!(send(proxy.addresses()[0], other).await?.text(), "2");
        let head = send(proxy.addresses()[0], &request("/a?b", "").replace("GET", "HEAD")).await?;
        assert_eq!(
            (head.cache().as_str(), head.header("content-length")),
            ("forebay; hit", Some("1"))
        );
        let asked = origin.asked.lock().map_err(|_| "poisoned")?[0].to_ascii_lowercase();
        assert!(asked.contains("via: 1.1 forebay") && asked.contains("x-forwarded-for: 127.0.0.1"));
        proxy.shutdown().await?;
        Ok(())
    })
}

#[test]
fn what_may_not_be_shared_is_not() -> Result<()> {
    run(async {
        let origin = answering(|number, header| {
            let control = header.split(' ').nth(1).unwrap_or_default();
            let lines = match control {
                "/no-store" => "Cache-Control: no-store\r\n",
                "/private" => "Cache-Control: private, max-age=60\r\n",
                "/cookie" => "Cache-Control: max-age=60\r\nSet-Cookie: a=b\r\n",
                "/star" => "Cache-Control: max-age=60\r\nVary: *\r\n",
                "/nothing" => "",
                "/stale" => "Cache-Control: max-age=0\r\n",
                "/both" => "Cache-Control: max-age=0, max-age=60\r\n",
                "/two" => "Cache-Control: max-age=60\r\nCache-Control: max-age=50\r\n",
                "/public" => "Cache-Control: public, max-age=60\r\n",
                _ => "Cache-Control: max-age=60\r\n",
            };
            ok(lines, &format!("{number}"))
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for path in
            ["/no-store", "/private", "/cookie", "/star", "/nothing", "/stale", "/both", "/two"]
        {
            let first = get(&proxy, path, "").await?;
            assert_eq!(first.cache(), "forebay; fwd=uri-miss; fwd-status=200", "{path}");
            assert_ne!(first.text(), get(&proxy, path, "").await?.text(), "{path}");
        }
        let password = "Authorization: Basic eDp5\r\n";
        let first = get(&proxy, "/plain", password).await?.text();
        assert_ne!(first, get(&proxy, "/plain", password).await?.text());
        let public = get(&proxy, "/public", password).await?.text();
        assert_eq!(public, get(&proxy, "/public", "").await?.text());
        // A client's wishes.
        let asked = get(&proxy, "/own", "Cache-Control: no-store\r\n").await?;
        assert_eq!(asked.cache(), "forebay; fwd=bypass; fwd-status=200");
        let cached = get(&proxy, "/own", "Cache-Control: only-if-cached\r\n").await?;
        assert_eq!(
            (cached.status, cached.cache().as_str()),
            (504, "forebay; detail=only-if-cached")
        );
        assert_eq!(proxy.cache().stats().objects, 1);
        Ok(())
    })
}

#[test]
fn variants_are_kept_apart() -> Result<()> {
    run(async {
        let origin = answering(|number, _| {
            ok("Cache-Control: max-age=60\r\nVary: Accept-Language\r\n", &format!("{number}"))
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let language = |language: &str| format!("Accept-Language: {language}\r\n");
        let (de, en) = (language("de"), language("en"));
        let (german, english) = (get(&proxy, "/", &de).await?, get(&proxy, "/", &en).await?);
        assert_ne!(german.text(), english.text());
        assert_eq!(english.cache(), "forebay; fwd=vary-miss; fwd-status=200; stored");
        assert_eq!(get(&proxy, "/", &de).await?.text(), german.text());
        assert_eq!(get(&proxy, "/", &en).await?.text(), english.text());
        assert_eq!(origin.count(), 2);
        Ok(())
    })
}

#[test]
fn conditions_and_ranges_are_answered_from_the_whole() -> Result<()> {
    run(async {
        let origin = answering(|_, header| {
            let header = header.to_ascii_lowercase();
            if header.contains("if-none-match: \"x\"") {
                return "HTTP/1.1 304 Not Modified\r\nConnection: close\r\nETag: \"x\"\r\n\
                        Cache-Control: max-age=60\r\n\r\n"
                    .to_owned();
            }
            assert!(!header.contains("range:"), "the whole is fetched");
            ok("Cache-Control: max-age=60\r\nETag: \"x\"\r\nAccept-Ranges: bytes\r\n", "0123456789")
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let first = get(&proxy, "/", "Range: bytes=2-4\r\n").await?;
        assert_eq!((first.status, first.text().as_str()), (206, "234"), "{}", first.head);
        assert_eq!(first.header("content-range"), Some("bytes 2-4/10"));
        let tail = get(&proxy, "/", "Range: bytes=-3\r\n").await?;
        assert_eq!((tail.text().as_str(), tail.cache().as_str()), ("789", "forebay; hit"));
        assert_eq!(get(&proxy, "/", "Range: bytes=10-\r\n").await?.status, 416);
        // Only a GET has ranges (RFC 9110, 14.2).
        let head = request("/", "Range: bytes=2-4\r\n").replacen("GET", "HEAD", 1);
        let head = send(proxy.addresses()[0], &head).await?;
        assert_eq!((head.status, head.header("content-length")), (200, Some("10")));
        assert_eq!(get(&proxy, "/", "If-None-Match: \"x\"\r\n").await?.status, 304);
        assert_eq!(get(&proxy, "/", "If-None-Match: \"y\"\r\n").await?.text(), "0123456789");
        assert_eq!(origin.count(), 1);
        // The client wants it checked: the origin says that it still holds.
        let checked = get(&proxy, "/", "Cache-Control: no-cache\r\n").await?;
        assert_eq!(checked.cache(), "forebay; fwd=request; fwd-status=304; stored");
        assert_eq!((checked.status, checked.text().as_str()), (200, "0123456789"));
        assert_eq!(origin.count(), 2);
        Ok(())
    })
}

#[test]
fn what_could_not_be_renewed_was_stale_and_so_it_was_for_those_who_waited() -> Result<()> {
    run(async {
        let gate = Arc::new(Semaphore::new(0));
        let open = gate.clone();
        let origin = origin(move |_, header, mut stream| {
            let open = open.clone();
            async move {
                let path = header.split(' ').nth(1).unwrap_or_default().to_owned();
                let again = open.available_permits() > 0 || path == "/wait";
                let old = "Cache-Control: max-age=10, must-revalidate\r\nAge: 9\r\n";
                let answer = match (path.as_str(), again) {
                    ("/pass", true) => ok("Cache-Control: no-store\r\n", "new"),
                    ("/gone", true) => ok("", "new").replace("200 OK", "404 No"),
                    ("/error", true) => ok("", "new").replace("200 OK", "500 No"),
                    ("/wait", _) if open.available_permits() > 0 => {
                        tokio::time::sleep(Duration::from_millis(300)).await;
                        ok(FRESH, "new")
                    }
                    _ => ok(old, "old"),
                };
                stream.write_all(answer.as_bytes()).await
            }
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        for path in ["/pass", "/gone", "/error", "/wait"] {
            assert_eq!(get(&proxy, path, "").await?.text(), "old");
        }
        tokio::time::sleep(Duration::from_millis(2100)).await;
        gate.add_permits(1);
        for (path, status) in [("/pass", 200), ("/gone", 404), ("/error", 500)] {
            let got = get(&proxy, path, "").await?;
            assert_eq!(got.cache(), format!("forebay; fwd=stale; fwd-status={status}"), "{path}");
        }
        let many: Vec<_> = (0..5)
            .map(|_| {
                let proxy = proxy.clone();
                tokio::spawn(async move { get(&proxy, "/wait", "").await })
            })
            .collect();
        let mut collapsed = 0;
        for one in many {
            let cache = one.await??.cache();
            assert!(cache.starts_with("forebay; fwd=stale"), "{cache}");
            collapsed += usize::from(cache.contains("collapsed"));
        }
        assert_eq!(collapsed, 4);
        Ok(())
    })
}

#[test]
fn a_successful_change_removes_what_it_makes_wrong() -> Result<()> {
    run(async {
        let origin = answering(|number, header| {
            let status = if header.contains("/bad") && header.starts_with("POST") {
                "500 No"
            } else {
                "200 OK"
            };
            ok("Cache-Control: max-age=60\r\n", &format!("{number}")).replace("200 OK", status)
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for (path, same) in [("/good", false), ("/bad", true)] {
            let first = get(&proxy, path, "").await?.text();
            let post = request(path, "Content-Length: 2\r\n").replace("GET", "POST") + "hi";
            let posted = send(proxy.addresses()[0], &post).await?;
            assert!(posted.cache().starts_with("forebay; fwd=method"), "{}", posted.head);
            assert_eq!(get(&proxy, path, "").await?.text() == first, same, "{path}");
        }
        Ok(())
    })
}

#[test]
fn what_is_stale_is_served_where_the_origin_allows_it() -> Result<()> {
    run(async {
        let renewed = Arc::new(Semaphore::new(0));
        let gate = renewed.clone();
        let origin = origin(move |number, header, mut stream| {
            let gate = gate.clone();
            async move {
                let path = header.split(' ').nth(1).unwrap_or_default().to_owned();
                let lines = match path.as_str() {
                    "/error" => "Cache-Control: max-age=10, stale-if-error=60\r\nAge: 9\r\n",
                    "/strict" => "Cache-Control: max-age=10, stale-if-error=60, must-revalidate\r\nAge: 9\r\n",
                    _ => "Cache-Control: max-age=0, stale-while-revalidate=60\r\n",
                };
                let answer = match (number, path.as_str()) {
                    (3.., "/error" | "/strict") => {
                        "HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_owned()
                    }
                    (3.., _) => {
                        // The renewal waits until the test has seen the stale answer.
                        gate.acquire().await.map_err(std::io::Error::other)?.forget();
                        ok("Cache-Control: max-age=60\r\n", "new")
                    }
                    _ => ok(lines, "old"),
                };
                stream.write_all(answer.as_bytes()).await
            }
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for path in ["/error", "/strict", "/while"] {
            assert_eq!(get(&proxy, path, "").await?.text(), "old");
        }
        let stale = get(&proxy, "/while", "").await?;
        assert_eq!((stale.text().as_str(), stale.cache().as_str()), ("old", "forebay; hit"));
        assert!(stale.header("cache-status").is_some_and(|said| said.contains("ttl=-")));
        renewed.add_permits(1);
        let mut text = String::new();
        for _ in 0..1000 {
            text = get(&proxy, "/while", "").await?.text();
            if text == "new" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(text, "new");
        // A second later the other two are stale, and the origin is in trouble.
        tokio::time::sleep(Duration::from_millis(2100)).await;
        let error = get(&proxy, "/error", "").await?;
        assert_eq!((error.status, error.text().as_str()), (200, "old"));
        assert_eq!(error.cache(), "forebay; fwd=stale; fwd-status=503");
        assert_eq!(get(&proxy, "/strict", "").await?.status, 503);
        Ok(())
    })
}

#[test]
fn a_304_renews_the_age_and_the_other_headers() -> Result<()> {
    run(async {
        let ago =
            |seconds| httpdate::fmt_http_date(SystemTime::now() - Duration::from_secs(seconds));
        let origin = answering(move |number, header| {
            let lines = "ETag: \"a\"\r\nCache-Control: max-age=60\r\n";
            if number == 0 {
                return ok(&format!("{lines}Date: {}\r\nAge: 3\r\nX-A: old\r\n", ago(50)), "body");
            }
            assert!(header.to_ascii_lowercase().contains("if-none-match: \"a\""), "{header}");
            let head = "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n";
            // That its body is another's is not believed.
            format!("{head}{lines}Date: {}\r\nX-A: new\r\nContent-MD5: no\r\n\r\n", ago(0))
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        let first = get(&proxy, "/", "").await?;
        let ttl = |answer: &Answer| {
            let said = answer.header("cache-status").unwrap_or_default().to_owned();
            said.rsplit_once("ttl=").and_then(|(_, ttl)| ttl.parse::<i64>().ok())
        };
        assert!(ttl(&first).is_some_and(|ttl| ttl <= 10), "{}", first.head);
        let renewed = get(&proxy, "/", "Cache-Control: no-cache\r\n").await?;
        assert_eq!(renewed.cache(), "forebay; fwd=request; fwd-status=304; stored");
        let hit = get(&proxy, "/", "").await?;
        assert_eq!((hit.cache().as_str(), hit.text().as_str()), ("forebay; hit", "body"));
        assert!(ttl(&hit).is_some_and(|ttl| ttl > 50), "{}", hit.head);
        assert_eq!((hit.header("x-a"), hit.header("content-md5")), (Some("new"), None));
        Ok(())
    })
}

#[test]
fn a_change_removes_what_its_location_names() -> Result<()> {
    run(async {
        let origin = answering(|number, header| {
            let lines = match header.starts_with("POST") {
                true => "Location: /there\r\nContent-Location: http://a.example/too\r\n",
                false => FRESH,
            };
            ok(lines, &format!("{number}"))
        })
        .await?;
        let proxy = proxy(&origin.url(), "").await?;
        for path in ["/there", "/too", "/stays"] {
            get(&proxy, path, "").await?;
        }
        let post = request("/other", "Content-Length: 0\r\n").replace("GET", "POST");
        assert_eq!(send(proxy.addresses()[0], &post).await?.status, 200);
        for (path, cached) in [("/there", false), ("/too", false), ("/stays", true)] {
            assert_eq!(get(&proxy, path, "").await?.cache() == "forebay; hit", cached, "{path}");
        }
        Ok(())
    })
}

#[test]
fn an_answer_that_changes_all_the_time_is_never_mixed_up() -> Result<()> {
    run(async {
        // Each answer has another tag, and a body that says which; some are stale at once, and all
        // are sent in two parts.
        let origin = origin(|number, _, mut stream| async move {
            let body = format!("{number:06} ").repeat(3000);
            let age = if number % 3 == 0 { 60 } else { 0 };
            let lines = format!(
                "ETag: \"{number:06}\"\r\nCache-Control: max-age=60, stale-while-revalidate=60\r\n\
                 Age: {age}\r\n"
            );
            let answer = ok(&lines, &body);
            let (first, rest) = answer.split_at(9000);
            stream.write_all(first.as_bytes()).await?;
            tokio::time::sleep(Duration::from_millis(2)).await;
            stream.write_all(rest.as_bytes()).await
        })
        .await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let clients: Vec<_> = (0..20)
            .map(|client| {
                let proxy = proxy.clone();
                tokio::spawn(async move {
                    for step in 0..15 {
                        let lines = match (client + step) % 4 {
                            0 => "Cache-Control: no-cache\r\n",
                            1 => "Range: bytes=7000-13999\r\n",
                            2 => "If-None-Match: \"000001\"\r\n",
                            _ => "",
                        };
                        let got = get(&proxy, "/", lines).await?;
                        let tag = got.header("etag").ok_or("no tag")?.trim_matches('"').to_owned();
                        assert!(got.whole, "{}", got.head);
                        let length = match got.status {
                            206 => 7000,
                            304 => 0,
                            _ => 21_000,
                        };
                        let right = format!("{tag} ").repeat(length / 7);
                        assert_eq!(got.text(), right, "{}", got.head);
                    }
                    Ok::<(), Failure>(())
                })
            })
            .collect();
        for client in clients {
            client.await??;
        }
        assert!(origin.count() > 3);
        Ok(())
    })
}

/// How many requests were hits, delayed hits and misses: of the proxy, and of the cache that is
/// like it.
async fn counted(proxy: &Running) -> Result<[[u64; 3]; 2]> {
    let state: serde_json::Value =
        serde_json::from_slice(&admin(proxy, "GET", "/state").await?.body)?;
    let real = |names: &[&str]| -> u64 {
        let all = state["outcomes"].as_array().into_iter().flatten();
        let of = all.filter(|one| names.contains(&one["name"].as_str().unwrap_or_default()));
        of.filter_map(|one| one["count"].as_u64()).sum()
    };
    let like = |name: &str| state["what_if"][0][name].as_u64().unwrap_or(0);
    let (hits, delayed) = (like("hits"), like("delayed_hits"));
    Ok([
        [real(&["hit", "stale"]), real(&["delayed_hit"]), real(&["miss", "renewed"])],
        [hits, delayed, like("requests") - hits - delayed],
    ])
}

#[test]
fn the_cache_like_the_real_one_does_what_the_real_one_does() -> Result<()> {
    run(async {
        for (policy, exact) in [("lru", true), ("lru-mad", false)] {
            let origin = answering(|number, header| {
                let path = header.split(' ').nth(1).unwrap_or_default();
                let number_of = path.trim_start_matches('/').parse::<usize>().unwrap_or(0);
                let tag = format!("ETag: \"{path}\"\r\n");
                // Every fourth is stale a second later, and then still holds.
                let ttl = if number_of % 4 == 0 { 1 } else { 60 };
                if header.to_ascii_lowercase().contains("if-none-match") {
                    let head = "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n";
                    return format!("{head}{tag}Cache-Control: max-age={ttl}\r\n\r\n");
                }
                // The same length each time: the cache like it takes that of the last fetch.
                let body = format!("{number:04} ").repeat(120 + 60 * (number_of % 5));
                ok(&format!("{tag}Cache-Control: max-age={ttl}\r\n"), &body)
            })
            .await?;
            let lines = format!(
                "[cache]\nsize = \"12 KB\"\nlargest = \"5 KB\"\npolicy = \"{policy}\"\n\
                 [what_if]\nsample = 1.0"
            );
            let proxy = Arc::new(proxy(&origin.url(), &lines).await?);
            let mut asked = 0;
            let mut next = 1_u64;
            for round in 0..3 {
                for step in 0..62 {
                    next = next.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let (a, b) = ((next >> 33) % 30, (next >> 43) % 30);
                    // The first of a round is the last of the one before, and stale by then.
                    let object = if step % 61 == 0 { 0 } else { a.min(b) };
                    get(&proxy, &format!("/{object}"), "").await?;
                    asked += 1;
                }
                let many: Vec<_> = (0..10)
                    .map(|_| {
                        let proxy = proxy.clone();
                        tokio::spawn(
                            async move { get(&proxy, &format!("/{}", 101 + round), "").await },
                        )
                    })
                    .collect();
                for one in many {
                    one.await??;
                    asked += 1;
                }
                tokio::time::sleep(Duration::from_millis(1100)).await;
            }
            // A request is counted a moment after its answer was read.
            let mut found = counted(&proxy).await?;
            for _ in 0..1000 {
                if found[0].iter().sum::<u64>() == asked {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
                found = counted(&proxy).await?;
            }
            let [real, like] = found;
            assert_eq!((real.iter().sum::<u64>(), like.iter().sum::<u64>()), (asked, asked));
            let stats = proxy.cache().stats();
            assert!(stats.evictions > 20 && stats.renewals > 0, "{stats:?}");
            // Which of those who come at the same moment waits, the two may see differently; and a
            // renewed entry takes a little more room than before, which only the real one knows.
            let differ = |at: usize| real[at].abs_diff(like[at]);
            let most = if exact { stats.renewals } else { asked / 20 };
            assert!(differ(2) <= most, "{policy}: misses {real:?}, {like:?}");
            assert!(differ(0) + differ(1) <= most + 12, "{policy}: {real:?}, {like:?}");
        }
        Ok(())
    })
}
