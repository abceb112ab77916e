//! Many who wait for one fetch, polled by hand: each is woken once, however often those before it
//! fail; and what a caller's own code does when it panics.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use forebay_fetch_cache::{Cache, OnError, RemovalCause};

/// Who was woken, in order.
type Woken = Arc<Mutex<VecDeque<usize>>>;

struct Call {
    number: usize,
    woken: Woken,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.woken.lock().unwrap().push_back(self.number);
    }
}

/// Calls that wait, each polled when it is woken.
struct Herd<'a, T> {
    calls: Vec<Option<Pin<Box<dyn Future<Output = T> + 'a>>>>,
    woken: Woken,
    wakes: usize,
}

impl<'a, T> Herd<'a, T> {
    fn new() -> Self {
        Herd { calls: Vec::new(), woken: Woken::default(), wakes: 0 }
    }

    /// Adds a call and polls it once.
    fn add(&mut self, call: impl Future<Output = T> + 'a) -> Option<T> {
        self.calls.push(Some(Box::pin(call)));
        self.poll(self.calls.len() - 1)
    }

    fn poll(&mut self, number: usize) -> Option<T> {
        let waker = Waker::from(Arc::new(Call { number, woken: self.woken.clone() }));
        let call = self.calls[number].as_mut()?;
        match call.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => {
                self.calls[number] = None;
                Some(result)
            }
            Poll::Pending => None,
        }
    }

    /// Polls whoever is woken until nobody is; the results in the order in which they came.
    fn run(&mut self) -> Vec<T> {
        let mut results = Vec::new();
        while let Some(number) = { self.woken.lock().unwrap().pop_front() } {
            self.wakes += 1;
            results.extend(self.poll(number));
        }
        results
    }
}

const HERD: usize = 20_000;

/// A fetch that ends once `gate` is open.
async fn when_open<T>(gate: &RefCell<Option<Waker>>, open: &AtomicBool, result: T) -> T {
    std::future::poll_fn(|context| {
        *gate.borrow_mut() = Some(context.waker().clone());
        if open.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    result
}

#[test]
fn a_herd_lands_with_one_wake_each() {
    let cache: Cache<u32, u32> = Cache::builder(10).build().unwrap();
    let (gate, open) = (RefCell::new(None), AtomicBool::new(false));
    let mut herd = Herd::new();
    for _ in 0..HERD {
        assert!(herd.add(cache.get_or_fetch(7, when_open(&gate, &open, 21))).is_none());
    }
    open.store(true, Ordering::SeqCst);
    gate.take().unwrap().wake();
    assert_eq!(herd.run(), vec![21; HERD]);
    assert_eq!(herd.wakes, HERD);
    assert_eq!(cache.stats().delayed_hits, HERD as u64 - 1);
}

#[test]
fn a_row_of_failures_wakes_each_waiter_once() {
    let cache: Cache<u32, u32> = Cache::builder(10).on_error(OnError::Retry).build().unwrap();
    let (gate, open) = (RefCell::new(None), AtomicBool::new(false));
    let mut herd = Herd::new();
    for number in 0..HERD {
        let fetch = when_open(&gate, &open, Err::<u32, usize>(number));
        assert!(herd.add(cache.try_get_or_fetch(7, fetch)).is_none());
    }
    open.store(true, Ordering::SeqCst);
    gate.take().unwrap().wake();
    let errors: Vec<usize> = herd.run().into_iter().map(|result| *result.unwrap_err()).collect();
    assert!(errors.into_iter().eq(0..HERD), "in the order of joining");
    assert_eq!((herd.wakes, cache.fetching()), (HERD, 0));
}

#[test]
fn whoever_is_called_and_gives_up_passes_the_call_on() {
    let cache: Cache<u32, u32> = Cache::builder(10).build().unwrap();
    let never = || std::future::pending::<u32>();
    let mut herd = Herd::new();
    for _ in 0..3 {
        herd.add(cache.get_or_fetch(7, never()));
    }
    herd.add(cache.get_or_fetch(7, async { 5 }));
    for called in 1..=3 {
        herd.calls[called - 1] = None;
        assert_eq!(herd.woken.lock().unwrap().pop_front(), Some(called), "woken, and not polled");
    }
    assert_eq!(herd.poll(3), Some(5));
    assert_eq!(cache.fetching(), 0);
}

/// A hasher that answers the key itself.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        panic!("keys are numbers");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[test]
fn keys_that_are_their_own_hashes_fill_all_shards() {
    for stride in [1_u64, 64, 1 << 20, 1 << 32, 1 << 48] {
        let builder = Cache::builder(1600).shards(16);
        let cache: Cache<u64, u64, _> =
            builder.build_with_hasher(BuildHasherDefault::<Identity>::default()).unwrap();
        (0..1600).for_each(|n| cache.insert(n * stride, n));
        assert!(cache.len() > 1200, "{} of stride {stride}", cache.len());
    }
}

/// A key whose comparison panics when it is told to.
#[derive(Clone, Debug, Eq)]
struct Touchy(u32);

static COMPARED: AtomicU64 = AtomicU64::new(u64::MAX);

impl PartialEq for Touchy {
    fn eq(&self, other: &Self) -> bool {
        if COMPARED.fetch_sub(1, Ordering::SeqCst) == 0 {
            panic!("a comparison panics");
        }
        self.0 == other.0
    }
}

impl Hash for Touchy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// Whether `work` panicked.
fn panics(work: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(work)).is_err()
}

#[test]
fn a_comparison_that_panics_breaks_nothing() {
    std::panic::set_hook(Box::new(|_| ()));
    let left = Arc::new(AtomicU64::new(0));
    let told = left.clone();
    let cache: Cache<Touchy, u32> = Cache::builder(4)
        .shards(1)
        .eviction_listener(move |_, _, _| {
            told.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    let mut panicked = 0;
    for step in 0..600_u32 {
        COMPARED.store(u64::from(step % 5), Ordering::SeqCst);
        let key = Touchy(step % 7);
        panicked += u32::from(panics(|| match step % 6 {
            0 => cache.insert(key, step),
            1 => assert!(cache.get(&key).is_none_or(|value| value < step)),
            2 => assert!(cache.remove(&key).is_none_or(|value| value < step)),
            3 => cache.invalidate(&key),
            _ => assert!(cache.get_or_fetch_blocking(key, || step) <= step),
        }));
        COMPARED.store(u64::MAX, Ordering::SeqCst);
        assert!(cache.len() <= 4 && cache.fetching() == 0);
    }
    assert!(panicked > 50, "{panicked}");
    let stats = cache.stats();
    cache.invalidate_all();
    assert_eq!(left.load(Ordering::SeqCst), stats.insertions + stats.bypasses, "each left once");
    assert_eq!(cache.get_or_fetch_blocking(Touchy(1), || 9), 9);
}

#[test]
fn a_weigher_that_panics_hands_the_fetch_over() {
    let panicking = Arc::new(AtomicBool::new(true));
    let weigher = panicking.clone();
    let cache: Cache<u32, u32> = Cache::builder(10)
        .weigher(move |_, _| match weigher.swap(false, Ordering::SeqCst) {
            true => panic!("a weigher panics"),
            false => 1,
        })
        .build()
        .unwrap();
    let (gate, open) = (RefCell::new(None), AtomicBool::new(false));
    let mut herd = Herd::new();
    herd.add(cache.get_or_fetch(7, when_open(&gate, &open, 1)));
    herd.add(cache.get_or_fetch(7, async { 2 }));
    open.store(true, Ordering::SeqCst);
    assert!(panics(|| assert!(herd.poll(0).is_none())));
    herd.calls[0] = None;
    assert_eq!(herd.run(), [2], "the waiter fetches");
    assert_eq!((cache.get(&7), cache.stats().abandoned), (Some(2), 1));
    panicking.store(true, Ordering::SeqCst);
    assert!(panics(|| cache.insert(8, 8)));
    assert_eq!((cache.get(&8), cache.len(), cache.weight()), (None, 1, 1));
}

#[test]
fn a_listener_that_panics_keeps_nobody_waiting() {
    let listener = |_, _, cause| {
        assert!(cause != RemovalCause::Evicted, "a listener panics");
    };
    let cache: Cache<u32, u32> = Cache::builder(1).eviction_listener(listener).build().unwrap();
    cache.insert(1, 1);
    let (gate, open) = (RefCell::new(None), AtomicBool::new(false));
    let mut herd = Herd::new();
    for _ in 0..3 {
        herd.add(cache.get_or_fetch(7, when_open(&gate, &open, 5)));
    }
    open.store(true, Ordering::SeqCst);
    assert!(panics(|| assert!(herd.poll(0).is_none())), "one of the values has to leave");
    herd.calls[0] = None;
    assert_eq!(herd.run(), [5, 5]);
    assert_eq!((cache.len(), cache.fetching(), cache.stats().abandoned), (1, 0, 0));
}
