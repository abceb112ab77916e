//! Removals while answers are on their way: what was asked for before is not given to whoever asks
//! after.

use std::sync::Arc;

use crate::support::*;
use forebay_proxy::Running;
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

const FRESH: &str = "Cache-Control: max-age=60\r\n";
const LENGTH: usize = 200_000;

/// An origin whose answers are their numbers again and again. The first begins when the first gate
/// opens, and its second half comes when the second does.
async fn gated() -> Result<(Origin, [Arc<Semaphore>; 2])> {
    let gates: [Arc<Semaphore>; 2] = std::array::from_fn(|_| Arc::new(Semaphore::new(0)));
    let open = gates.clone();
    let origin = origin(move |number, header, mut stream| {
        let [begin, end] = open.clone();
        async move {
            if header.starts_with("POST") {
                return stream.write_all(ok("", "").as_bytes()).await;
            }
            let answer = ok(FRESH, &number.to_string().repeat(LENGTH));
            let (one, two) = answer.split_at(answer.len() / 2);
            if number == 0 {
                begin.acquire().await.map_err(std::io::Error::other)?.forget();
            }
            stream.write_all(one.as_bytes()).await?;
            if number == 0 {
                end.acquire().await.map_err(std::io::Error::other)?.forget();
            }
            stream.write_all(two.as_bytes()).await
        }
    })
    .await?;
    Ok((origin, gates))
}

/// The ways to remove what is at `/`.
#[derive(Clone, Copy, Debug)]
enum Way {
    Purge,
    Clear,
    Post,
}

impl Way {
    async fn go(self, proxy: &Running) -> Result<()> {
        let answer = match self {
            Way::Purge => admin(proxy, "POST", "/purge?a.example/").await?,
            Way::Clear => admin(proxy, "POST", "/clear").await?,
            Way::Post => {
                let post = request("/", "Content-Length: 0\r\n").replace("GET", "POST");
                send(proxy.addresses()[0], &post).await?
            }
        };
        assert_eq!(answer.status, 200, "{self:?}");
        Ok(())
    }
}

fn ask(proxy: &Arc<Running>) -> JoinHandle<Result<Answer>> {
    let proxy = proxy.clone();
    tokio::spawn(async move { get(&proxy, "/", "").await })
}

/// Which answer it is.
fn number(answer: &Answer) -> char {
    assert!(answer.whole && answer.body.len() == LENGTH, "{}", answer.head);
    assert!(answer.body.iter().all(|byte| *byte == answer.body[0]));
    char::from(answer.body[0])
}

#[test]
fn a_removal_during_a_fetch_is_not_undone_by_its_answer() -> Result<()> {
    run(async {
        for way in [Way::Purge, Way::Clear, Way::Post] {
            for begun in [false, true] {
                let folder = tempfile::tempdir()?;
                let on_disk = format!("[cache]\nfolder = \"{}\"", folder.path().display());
                for lines in ["", &on_disk] {
                    let (origin, [begin, end]) = gated().await?;
                    let proxy = Arc::new(proxy(&origin.url(), lines).await?);
                    let before = ask(&proxy);
                    until(|| origin.count() == 1).await?;
                    if begun {
                        begin.add_permits(1);
                        until(|| proxy.cache().stats().bytes_arriving > 0).await?;
                    }
                    way.go(&proxy).await?;
                    // Who asks now gets a new answer, and does not wait for the old one.
                    let after = get(&proxy, "/", "").await?;
                    assert!(number(&after) > '0', "{way:?}, {begun}, {lines}");
                    begin.add_permits(1);
                    end.add_permits(1);
                    assert_eq!(number(&before.await??), '0');
                    until(|| proxy.cache().stats().bytes_arriving == 0).await?;
                    let again = get(&proxy, "/", "").await?;
                    assert_eq!(again.cache(), "forebay; hit", "{way:?}, {begun}, {lines}");
                    assert_eq!(number(&again), number(&after));
                    until(|| proxy.cache().flights() == 0).await?;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn who_waits_when_a_fetch_is_removed_gets_a_new_answer() -> Result<()> {
    run(async {
        let (origin, [begin, end]) = gated().await?;
        let proxy = Arc::new(proxy(&origin.url(), "").await?);
        let before = ask(&proxy);
        until(|| origin.count() == 1).await?;
        let waiters: Vec<_> = (0..50).map(|_| ask(&proxy)).collect();
        until(|| proxy.cache().stats().waiting == 50).await?;
        Way::Purge.go(&proxy).await?;
        begin.add_permits(1);
        end.add_permits(1);
        assert_eq!(number(&before.await??), '0');
        for waiter in waiters {
            assert_eq!(number(&waiter.await??), '1');
        }
        assert_eq!((origin.count(), proxy.cache().stats().waiting), (2, 0));
        Ok(())
    })
}
