use super::*;

const NOW: Duration = Duration::from_secs(1_000_000_000);

fn at(seconds: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs((NOW.as_secs() as i64 + seconds) as u64)
}

fn http_date(seconds: i64) -> String {
    httpdate::fmt_http_date(at(seconds))
}

fn response(status: u16, headers: &[(&'static str, String)]) -> ResponseHeader {
    let mut response = ResponseHeader::build(status, None).unwrap();
    for (name, value) in headers {
        response.append_header(*name, value.as_str()).unwrap();
    }
    response
}

fn request(headers: &[(&'static str, &str)]) -> RequestHeader {
    let mut request = RequestHeader::build("GET", b"/", None).unwrap();
    for (name, value) in headers {
        request.append_header(*name, *value).unwrap();
    }
    request
}

fn ttl(status: u16, headers: &[(&'static str, &str)]) -> Option<u64> {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let stored = storable(&request(&[]), &response(status, &headers), at(0), None);
    stored.map(|stored| stored.lifetime.saturating_sub(stored.age).as_secs())
}

/// A device without a battery for its clock begins there. Found by the fuzz target
/// `proxy_messages`.
#[test]
fn what_is_stale_in_1970_can_be_written_down() {
    let epoch = SystemTime::UNIX_EPOCH;
    let control = "max-age=0, stale-while-revalidate=9".to_owned();
    let answer = response(200, &[("cache-control", control)]);
    let stored = storable(&request(&[]), &answer, epoch, None).unwrap();
    assert!(stored.meta(answer, epoch).serialize().is_ok());
}

#[test]
fn freshness_is_what_the_rfc_says() {
    let cc = "cache-control";
    for (status, headers, said) in [
        (200, vec![(cc, "max-age=60")], Some(60)),
        (200, vec![(cc, "max-age=60, s-maxage=7")], Some(7)),
        (200, vec![(cc, "max-age=60"), ("age", "20")], Some(40)),
        (200, vec![(cc, "max-age=60"), ("age", "60")], None),
        (200, vec![(cc, "max-age=60"), ("age", "60, 0")], None),
        (200, vec![(cc, "max-age=60"), ("age", "0, 60")], Some(60)),
        (200, vec![(cc, "max-age=60"), ("age", "old")], Some(60)),
        (200, vec![(cc, "max-age=60"), ("expires", "Thu, 01 Jan 1970 00:00:00 GMT")], Some(60)),
        (200, vec![("expires", "0")], None),
        (200, vec![(cc, "max-age=junk")], None),
        (200, vec![(cc, "no-store, max-age=60")], None),
        (200, vec![(cc, "no-store, max-age=60, must-understand")], Some(60)),
        (200, vec![(cc, "private, max-age=60")], None),
        (200, vec![(cc, "no-cache")], None),
        (200, vec![(cc, "max-age=0")], None),
        (200, vec![(cc, "max-age=0, stale-while-revalidate=9")], Some(0)),
        (200, vec![(cc, "max-age=99999999999")], Some((1 << 31) - 1)),
        (200, vec![], None),
        (206, vec![(cc, "max-age=60")], None),
        (304, vec![(cc, "max-age=60")], None),
        (500, vec![(cc, "max-age=60")], None),
        (302, vec![(cc, "max-age=60")], Some(60)),
        (200, vec![(cc, "max-age=60"), ("set-cookie", "a=b")], None),
        (200, vec![(cc, "max-age=60"), ("vary", "*")], None),
        (200, vec![(cc, "max-age=60"), ("vary", "accept, *")], None),
        (200, vec![(cc, "max-age=60"), ("vary", "accept")], Some(60)),
    ] {
        assert_eq!(ttl(status, &headers), said, "{status} {headers:?}");
    }
    let (early, modified, later) = (http_date(-100), http_date(-1000), http_date(50));
    assert_eq!(ttl(200, &[("last-modified", &modified)]), Some(100));
    assert_eq!(ttl(302, &[("last-modified", &modified)]), None, "not by heuristics");
    assert_eq!(ttl(200, &[("date", &early), ("expires", &later)]), Some(50));
    assert_eq!(ttl(200, &[("date", &early), (cc, "max-age=130")]), Some(30));
}

#[test]
fn what_is_said_to_be_older_than_1970_can_be_written() -> Result<()> {
    let headers = [("age", "2000000000"), ("cache-control", "max-age=2147483648")];
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let response = response(200, &headers);
    let stored = storable(&request(&[]), &response, at(0), None).unwrap();
    let meta = stored.meta(response, at(0));
    let (internal, header) = meta.serialize()?;
    assert!(CacheMeta::deserialize(&internal, &header)?.is_fresh(at(0)));
    Ok(())
}

#[test]
fn a_304_renews_all_but_what_describes_the_body() -> Result<()> {
    let of = |fields: &[(&'static str, &str)]| {
        let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned()));
        response(200, &fields.collect::<Vec<_>>())
    };
    let stored = of(&[
        ("date", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("age", "7"),
        ("etag", "a"),
        ("content-length", "5"),
        ("x-a", "1"),
        ("x-b", "1"),
    ]);
    let by = of(&[("etag", "b"), ("content-length", "0"), ("x-a", "2"), ("x-a", "3")]);
    let now = renewed(&stored, &by)?;
    let all = |name: &str| -> Vec<_> {
        now.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    };
    assert_eq!(all("x-a"), ["2", "3"]);
    assert_eq!((all("x-b"), all("etag"), all("content-length")), (vec!["1"], vec!["a"], vec!["5"]));
    assert!(all("date").is_empty() && all("age").is_empty());
    Ok(())
}

#[test]
fn a_location_names_a_target_here_or_none() {
    for (reference, target) in [
        ("http://a.example/b?c#d", Some("/b?c")),
        ("HTTPS://A.example", Some("/")),
        ("http://b.example/b", None),
        ("ftp://a.example/b", None),
        ("//b.example/b", None),
        ("/b", Some("/b")),
        ("b", Some("/x/b")),
        ("?b", Some("/x/y?b")),
        ("../b", None),
        ("", None),
    ] {
        let found = named_target(reference, "a.example", "/x/y?z");
        assert_eq!(found.as_deref(), target, "{reference}");
    }
}

#[test]
fn who_has_a_password_shares_only_what_says_so() {
    let asked = request(&[("authorization", "Basic eDp5")]);
    for (control, stored) in
        [("max-age=9", false), ("public, max-age=9", true), ("s-maxage=9", true)]
    {
        let response = response(200, &[("cache-control", control.to_owned())]);
        assert_eq!(storable(&asked, &response, at(0), None).is_some(), stored, "{control}");
    }
}

#[test]
fn who_must_be_asked_is_not_gone_round() {
    let windows = |control: &str| {
        let response = response(200, &[("cache-control", control.to_owned())]);
        storable(&request(&[]), &response, at(0), None)
            .map(|stored| (stored.stale_while_revalidate, stored.stale_if_error))
    };
    let stale = "max-age=9, stale-while-revalidate=5, stale-if-error=7";
    assert_eq!(windows(stale), Some((5, 7)));
    assert_eq!(windows(&format!("{stale}, must-revalidate")), Some((0, 0)));
    assert_eq!(windows(&format!("{stale}, s-maxage=8")), Some((0, 0)));
}

#[test]
fn variants_are_told_apart_by_what_vary_names_alone() {
    let response = response(200, &[("vary", "Accept, X-A".to_owned())]);
    let meta = CacheMeta::new(at(9), at(0), 0, 0, response);
    let of = |headers: &[(&'static str, &str)]| variance(&meta, &request(headers));
    assert_eq!(of(&[("accept", "a"), ("b", "1")]), of(&[("b", "2"), ("accept", " a ")]));
    assert_ne!(of(&[("accept", "a")]), of(&[("accept", "b")]));
    assert_ne!(of(&[("accept", "a")]), of(&[("x-a", "a")]));
    assert_ne!(of(&[]), of(&[("accept", "")]), "empty is not missing");
}

#[test]
fn clients_ask_for_older_or_newer() {
    let now = SystemTime::now();
    let meta = |fresh: i64, control: &str| {
        let until = if fresh >= 0 {
            now + Duration::from_secs(fresh as u64)
        } else {
            now - Duration::from_secs(fresh.unsigned_abs())
        };
        let created = now - Duration::from_secs(100);
        let response = response(200, &[("cache-control", control.to_owned())]);
        CacheMeta::new(until, created, 0, 0, response)
    };
    let judge = |asked: &str, fresh: i64, control: &str| {
        let asked = Asked::of(&request(&[("cache-control", asked)]));
        asked.judge(&meta(fresh, control), fresh >= 0, now)
    };
    let (expired, fresh) = (Some(ForcedFreshness::ForceExpired), Some(ForcedFreshness::ForceFresh));
    assert_eq!(judge("no-cache", 50, ""), expired);
    assert_eq!(judge("max-age=99", 50, ""), expired);
    assert_eq!(judge("max-age=200", 50, ""), None);
    assert_eq!(judge("min-fresh=60", 50, ""), expired);
    assert_eq!(judge("min-fresh=40", 50, ""), None);
    assert_eq!(judge("max-stale", -50, ""), fresh);
    assert_eq!(judge("max-stale=60", -50, ""), fresh);
    assert_eq!(judge("max-stale=40", -50, ""), None);
    assert_eq!(judge("max-stale", -50, "must-revalidate"), None);
    let pragma = Asked::of(&request(&[("pragma", "no-cache")]));
    assert_eq!(pragma.judge(&meta(50, ""), true, now), expired);
}
