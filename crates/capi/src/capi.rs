//! The functions for C. `include/forebay.h` is written from this file.
//!
//! A pointer to a network comes from [`forebay_network_new`] and is valid until
//! [`forebay_network_free`]; one thread may use it at a time. Every function refuses a null
//! network. No callback runs but within [`forebay_network_run`], and callbacks may call every
//! function but `free` and `run` on their network. A function that fails changes nothing and
//! leaves a sentence for [`forebay_last_error`].
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};

use forebay_net_run::{MessageError, Messages, network};
use forebay_units::{Bytes, Duration, Time};

/// What a caller is told: `argument` is the one that was given with the callback.
pub type Callback = Option<unsafe extern "C" fn(argument: *mut c_void)>;

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It did what it should.
    Ok = 0,
    /// An argument is wrong.
    Invalid = 1,
    /// A message makes no progress: its flow ran into one timeout after the other.
    Stuck = 2,
    /// The network is running: the call is not for callbacks.
    Running = 3,
}

/// What a network has counted since it was made.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets transmitted, each counted at every device.
    pub packet_hops: u64,
    /// Packets that were lost.
    pub lost: u64,
    /// Events that the simulator has handled.
    pub events: u64,
    /// Receives that no message has matched yet.
    pub receives_unmatched: u64,
    /// Messages that have arrived and that nobody has received yet.
    pub messages_unreceived: u64,
}

/// Whom to tell.
#[derive(Clone, Copy)]
struct Done {
    callback: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
}

/// A network of switches and hosts that carries messages.
pub struct Network {
    messages: Messages<Done>,
    is_running: bool,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.messages.fmt(f)
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Leaves a sentence for whoever asks.
fn say(problem: &str) {
    let text = CString::new(problem.replace('\0', " ")).unwrap_or_default();
    LAST.with(|last| *last.borrow_mut() = text);
}

fn refuse(status: Status, problem: &str) -> Status {
    say(problem);
    status
}

fn answer(result: Result<(), MessageError>) -> Status {
    match result {
        Ok(()) => Status::Ok,
        Err(MessageError::Message(problem)) => refuse(Status::Invalid, &problem),
        Err(MessageError::Stuck(problem)) => refuse(Status::Stuck, &problem),
    }
}

const NO_NETWORK: &str = "network is null: give one that forebay_network_new made";
const NO_CALLBACK: &str = "callback is null: give a function";

/// Why the last call of this thread failed, as one sentence; empty if none has. Valid until the
/// next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn forebay_last_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}

/// A network without messages, or null: see `forebay_last_error`.
///
/// `topology` is a shape, as "leaf-spine:16x16x8,100G,400G,1us", or a file. `settings` are `count`
/// texts "name=value": the switch's name ("switch=occamy"), its parameters ("alpha=8"), and those
/// of the hosts ("control=dctcp").
///
/// # Safety
/// `topology` and the `count` texts at `settings` are texts that end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_new(
    topology: *const c_char,
    settings: *const *const c_char,
    count: usize,
) -> *mut Network {
    // SAFETY: the caller promises texts.
    match unsafe { made(topology, settings, count) } {
        Ok(network) => Box::into_raw(Box::new(network)),
        Err(problem) => {
            say(&problem);
            std::ptr::null_mut()
        }
    }
}

/// # Safety
/// As for [`forebay_network_new`].
unsafe fn made(
    topology: *const c_char,
    settings: *const *const c_char,
    count: usize,
) -> Result<Network, String> {
    // SAFETY: as the caller promises.
    let topology = unsafe { text(topology, "topology") }?;
    let mut given = Vec::new();
    for place in 0..count {
        if settings.is_null() {
            return Err("settings is null: give texts, or a count of 0".to_owned());
        }
        // SAFETY: there are `count` pointers, as the caller promises.
        let setting = unsafe { *settings.add(place) };
        // SAFETY: each is to a text.
        let setting = unsafe { text(setting, "a setting") }?;
        let pair = setting.split_once('=');
        given.push(pair.ok_or_else(|| format!("{setting}: give a setting as name=value"))?);
    }
    let session = network(topology, &given).map_err(|error| error.to_string())?;
    Ok(Network { messages: Messages::new(session), is_running: false })
}

/// # Safety
/// `pointer` is null or to a text that ends with a zero byte and outlives the result.
unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, String> {
    if pointer.is_null() {
        return Err(format!("{what} is null: give a text"));
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| format!("{what} is not UTF-8: give plain text"))
}

/// Ends a network; null is no network. Not for callbacks of the same network.
///
/// # Safety
/// `network` is null or comes from `forebay_network_new`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_free(network: *mut Network) {
    if !network.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and nobody uses it again.
        drop(unsafe { Box::from_raw(network) });
    }
}

/// How many hosts there are, numbered from 0; 0 if `network` is null.
///
/// # Safety
/// `network` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_hosts(network: *const Network) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { network.as_ref() }.map_or(0, |network| network.messages.hosts())
}

/// The simulated time in picoseconds; 0 if `network` is null.
///
/// # Safety
/// `network` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_now(network: *const Network) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { network.as_ref() }.map_or(0, |network| network.messages.now().as_ps())
}

/// Host `src` sends `bytes` bytes to host `dst` now, in `traffic_class` (0 is the most urgent).
/// `callback`, if it is not null, is called when the last byte has arrived.
///
/// # Safety
/// `network` is null or valid; `callback` may be called with `argument` whenever the network runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_send(
    network: *mut Network,
    src: u32,
    dst: u32,
    bytes: u64,
    tag: u64,
    traffic_class: u8,
    callback: Callback,
    argument: *mut c_void,
) -> Status {
    // SAFETY: as the caller promises. Nothing else borrows it: `run` does not while callbacks run.
    let Some(network) = (unsafe { network.as_mut() }) else {
        return refuse(Status::Invalid, NO_NETWORK);
    };
    let done = callback.map(|callback| Done { callback, argument });
    answer(network.messages.send(src, dst, Bytes::new(bytes), tag, traffic_class, done))
}

/// Host `dst` receives the next message of host `src` with this tag; `callback` is called when it
/// has arrived, at once when the network runs if it has already.
///
/// # Safety
/// As for `forebay_network_send`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_receive(
    network: *mut Network,
    src: u32,
    dst: u32,
    tag: u64,
    callback: Callback,
    argument: *mut c_void,
) -> Status {
    // SAFETY: as for `forebay_network_send`.
    unsafe { tell(network, callback, argument, |all, done| all.receive(src, dst, tag, done)) }
}

/// Asks for something that a callback is told of.
///
/// # Safety
/// As for [`forebay_network_send`].
unsafe fn tell(
    network: *mut Network,
    callback: Callback,
    argument: *mut c_void,
    ask: impl FnOnce(&mut Messages<Done>, Done) -> Result<(), MessageError>,
) -> Status {
    // SAFETY: as the caller promises.
    let Some(network) = (unsafe { network.as_mut() }) else {
        return refuse(Status::Invalid, NO_NETWORK);
    };
    let Some(callback) = callback else { return refuse(Status::Invalid, NO_CALLBACK) };
    answer(ask(&mut network.messages, Done { callback, argument }))
}

/// `callback` is called `delay_ps` picoseconds from now.
///
/// # Safety
/// As for `forebay_network_send`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_schedule(
    network: *mut Network,
    delay_ps: u64,
    callback: Callback,
    argument: *mut c_void,
) -> Status {
    let delay = Duration::from_ps(delay_ps);
    let set = |all: &mut Messages<Done>, done| {
        all.schedule(delay, done);
        Ok(())
    };
    // SAFETY: as for `forebay_network_send`.
    unsafe { tell(network, callback, argument, set) }
}

/// Runs until nothing is left to happen, or everything up to `until_ps` has happened (UINT64_MAX:
/// no limit), and calls callbacks in the order of simulated time.
///
/// # Safety
/// `network` is null or valid, and every callback keeps what its own function asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_run(network: *mut Network, until_ps: u64) -> Status {
    // SAFETY: as the caller promises; the borrow ends before a callback is called.
    let begin = |is_running| {
        unsafe { network.as_mut() }
            .map(|network| std::mem::replace(&mut network.is_running, is_running))
    };
    match begin(true) {
        None => return refuse(Status::Invalid, NO_NETWORK),
        Some(true) => {
            return refuse(
                Status::Running,
                "the network is running: return from the callback first",
            );
        }
        Some(false) => {}
    }
    let status = loop {
        // SAFETY: as above. Callbacks may use the network, so it is borrowed anew each time.
        let Some(network) = (unsafe { network.as_mut() }) else { break Status::Invalid };
        match network.messages.next(Time::from_ps(until_ps)) {
            // SAFETY: whoever gave the callback lets it be called with its argument.
            Ok(Some(done)) => unsafe { (done.callback)(done.argument) },
            Ok(None) => break Status::Ok,
            Err(error) => break answer(Err(error)),
        }
    };
    begin(false);
    status
}

/// What was counted so far.
///
/// # Safety
/// `network` is null or valid; `counters` is null or to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn forebay_network_counters(
    network: *const Network,
    counters: *mut Counters,
) -> Status {
    // SAFETY: as the caller promises.
    let Some(network) = (unsafe { network.as_ref() }) else {
        return refuse(Status::Invalid, NO_NETWORK);
    };
    // SAFETY: as the caller promises.
    let Some(counters) = (unsafe { counters.as_mut() }) else {
        return refuse(Status::Invalid, "counters is null: give room for them");
    };
    let totals = network.messages.totals();
    let (receives_unmatched, messages_unreceived) = network.messages.unmatched();
    *counters = Counters {
        packet_hops: totals.packet_hops,
        lost: totals.dropped.packets,
        events: totals.events,
        receives_unmatched,
        messages_unreceived,
    };
    Status::Ok
}

#[cfg(test)]
mod tests {
    use std::ptr::{null, null_mut};

    use super::*;

    fn last() -> String {
        // SAFETY: it is a text of this thread.
        unsafe { CStr::from_ptr(forebay_last_error()) }.to_str().unwrap().to_owned()
    }

    unsafe extern "C" fn run_again(network: *mut c_void) {
        // SAFETY: the test gives its network, which lives.
        let status = unsafe { forebay_network_run(network.cast(), u64::MAX) };
        assert_eq!(status, Status::Running);
    }

    #[test]
    fn null_is_refused_everywhere() {
        // SAFETY: null is allowed everywhere.
        unsafe {
            assert!(forebay_network_new(null(), null(), 0).is_null());
            assert_eq!(last(), "topology is null: give a text");
            assert!(forebay_network_new(c"star:2,1G,1us".as_ptr(), null(), 1).is_null());
            assert!(last().starts_with("settings is null"));
            assert_eq!((forebay_network_hosts(null()), forebay_network_now(null())), (0, 0));
            assert_eq!(forebay_network_run(null_mut(), 0), Status::Invalid);
            assert_eq!(last(), NO_NETWORK);
            let send = forebay_network_send(null_mut(), 0, 1, 1, 0, 0, None, null_mut());
            let receive = forebay_network_receive(null_mut(), 0, 1, 0, None, null_mut());
            let schedule = forebay_network_schedule(null_mut(), 0, None, null_mut());
            let counters = forebay_network_counters(null(), null_mut());
            assert_eq!([send, receive, schedule, counters], [Status::Invalid; 4]);
            forebay_network_free(null_mut());
        }
    }

    #[test]
    fn a_callback_may_not_run_its_network_and_a_null_callback_only_sends() {
        // SAFETY: the network lives until it is freed, and so do the texts.
        unsafe {
            let network = forebay_network_new(c"star:2,1G,1us".as_ptr(), null(), 0);
            let argument = network.cast();
            assert_eq!(forebay_network_schedule(network, 5, Some(run_again), argument), Status::Ok);
            assert_eq!(forebay_network_schedule(network, 5, None, argument), Status::Invalid);
            assert_eq!(last(), NO_CALLBACK);
            assert_eq!(forebay_network_send(network, 0, 1, 9, 0, 0, None, argument), Status::Ok);
            assert_eq!(
                forebay_network_send(network, 0, 7, 9, 0, 0, None, argument),
                Status::Invalid
            );
            assert_eq!(forebay_network_run(network, u64::MAX), Status::Ok);
            let mut counters = Counters::default();
            assert_eq!(forebay_network_counters(network, &raw mut counters), Status::Ok);
            assert_eq!((counters.messages_unreceived, counters.lost), (1, 0));
            assert_eq!(forebay_network_counters(network, null_mut()), Status::Invalid);
            forebay_network_free(network);
        }
    }
}
