//! Making connections: each host listens, and the receiver of each transfer connects to its sender.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration as Wait;

use rustix::net::sockopt::{
    Timeout, set_ip_tos, set_socket_recv_buffer_size, set_socket_recv_buffer_size_force,
    set_socket_timeout, set_tcp_congestion, set_tcp_nodelay,
};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with};
use rustix::process::{Resource, getrlimit, setrlimit};

use super::{TcpSettings, Transfer};
use crate::live::error::LiveError;
use crate::live::lab::Lab;

/// What a connection has to be made.
const PATIENCE: Wait = Wait::from_secs(10);
/// The longest queue of connections that nobody has accepted yet; the kernel may take less.
const BACKLOG: i32 = 1 << 15;
/// Descriptors for everything else.
const OTHER_FILES: u64 = 512;

/// The two ends of a transfer's connection.
pub(super) struct Ends {
    pub(super) sender: TcpStream,
    pub(super) receiver: TcpStream,
}

/// Connections for transfers, over which nothing has been sent yet.
pub struct Connections {
    pub(super) transfers: Vec<Transfer>,
    pub(super) ends: Vec<Ends>,
}

/// The listeners of a host, by congestion control: who connects gets the listener's, and with it
/// whether ECN is asked for.
type Listeners = HashMap<String, (TcpListener, SocketAddrV4)>;

impl Connections {
    /// Makes a connection for each transfer, in a lab that passes frames.
    ///
    /// # Errors
    /// The step that failed: mostly that frames do not pass, or that files are limited.
    pub fn new(
        lab: &Lab,
        transfers: Vec<Transfer>,
        settings: &TcpSettings,
    ) -> Result<Self, LiveError> {
        allow_files(2 * transfers.len() as u64 + OTHER_FILES)
            .map_err(LiveError::at("open a connection for each flow"))?;
        let listeners = listening(lab, &transfers, settings)
            .map_err(LiveError::at("listen for connections"))?;
        let made = connected(lab, &transfers, &listeners, settings)
            .map_err(LiveError::at("connect the hosts"))?;
        let ends =
            accepted(&transfers, listeners, made).map_err(LiveError::at("accept connections"))?;
        Ok(Connections { transfers, ends })
    }
}

/// Raises this process's own limit, if it is lower and may be raised.
fn allow_files(needed: u64) -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    if limit.maximum.is_some_and(|most| most < needed) {
        let most = limit.maximum.unwrap_or_default();
        return Err(io::Error::other(format!(
            "{needed} files are needed, and this process may open {most}: raise the limit (ulimit \
             -Hn), or send less"
        )));
    }
    limit.current = Some(needed);
    Ok(setrlimit(Resource::Nofile, limit)?)
}

fn new_socket(control: &str, settings: &TcpSettings) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    set_tcp_congestion(&socket, control)?;
    if let Some(window) = settings.receive_window {
        // The kernel takes twice as much, half of which is for its own bookkeeping.
        let bytes = usize::try_from(window.get()).unwrap_or(usize::MAX);
        if set_socket_recv_buffer_size_force(&socket, bytes).is_err() {
            set_socket_recv_buffer_size(&socket, bytes)?;
        }
    }
    Ok(socket)
}

fn prepare(socket: &TcpStream, transfer: &Transfer) -> io::Result<()> {
    set_ip_tos(socket, transfer.code_point << 2)?;
    // The last segment of a flow does not wait for the others.
    set_tcp_nodelay(socket, true)?;
    socket.set_nonblocking(true)
}

fn listening(
    lab: &Lab,
    transfers: &[Transfer],
    settings: &TcpSettings,
) -> io::Result<Vec<Listeners>> {
    let one = |control: &str, address: Ipv4Addr| {
        let socket = new_socket(control, settings)?;
        bind(&socket, &SocketAddrV4::new(address, 0))?;
        listen(&socket, BACKLOG)?;
        let listener = TcpListener::from(socket);
        match listener.local_addr()? {
            SocketAddr::V4(address) => Ok((listener, address)),
            SocketAddr::V6(_) => Err(io::Error::other("an address of another kind")),
        }
    };
    let hosts = lab.hosts().iter().enumerate().map(|(number, (host, space))| {
        space.within(|| {
            let mut listeners = Listeners::new();
            for transfer in transfers.iter().filter(|transfer| transfer.from == number) {
                if !listeners.contains_key(&transfer.control) {
                    let made = one(&transfer.control, host.v4.0)?;
                    listeners.insert(transfer.control.clone(), made);
                }
            }
            Ok(listeners)
        })
    });
    hosts.collect()
}

/// Connects the receivers, those of one host one after the other: the numbers of transfers and
/// their sockets.
fn connected(
    lab: &Lab,
    transfers: &[Transfer],
    listeners: &[Listeners],
    settings: &TcpSettings,
) -> io::Result<Vec<(usize, TcpStream)>> {
    let connect = |transfer: &Transfer| {
        let to = listeners.get(transfer.from).and_then(|of| of.get(&transfer.control));
        let (_, address) = to.ok_or_else(|| io::Error::other("there is no such host"))?;
        let socket = new_socket(&transfer.control, settings)?;
        set_socket_timeout(&socket, Timeout::Send, Some(PATIENCE))?;
        rustix::net::connect(&socket, address)?;
        let socket = TcpStream::from(socket);
        prepare(&socket, transfer)?;
        Ok::<_, io::Error>(socket)
    };
    let of_host = |number: usize| {
        let own = transfers.iter().enumerate().filter(move |(_, transfer)| transfer.to == number);
        own.map(|(index, transfer)| Ok((index, connect(transfer)?))).collect()
    };
    thread::scope(|scope| {
        let hosts = lab.hosts().iter().enumerate();
        let of_host = &of_host;
        let threads: Vec<_> = hosts
            .map(|(number, (_, space))| scope.spawn(move || space.within(|| of_host(number))))
            .collect();
        let mut all = Vec::new();
        for thread in threads {
            let made: io::Result<Vec<(usize, TcpStream)>> =
                thread.join().unwrap_or_else(|_| Err(io::Error::other("its thread ended")));
            all.extend(made?);
        }
        Ok(all)
    })
}

/// Accepts all of them: whose is whose is told by the receiver's address.
fn accepted(
    transfers: &[Transfer],
    listeners: Vec<Listeners>,
    made: Vec<(usize, TcpStream)>,
) -> io::Result<Vec<Ends>> {
    let mut waiting = HashMap::new();
    for (index, receiver) in made {
        // A receiver may have the same port towards two senders.
        let key = (receiver.local_addr()?, receiver.peer_addr()?);
        waiting.insert(key, (index, receiver));
    }
    let mut counts: HashMap<(usize, &str), usize> = HashMap::new();
    for transfer in transfers {
        *counts.entry((transfer.from, &transfer.control)).or_default() += 1;
    }
    let mut ends: Vec<Option<Ends>> = transfers.iter().map(|_| None).collect();
    for (number, of_host) in listeners.into_iter().enumerate() {
        for (control, (listener, address)) in of_host {
            let count = counts.get(&(number, control.as_str())).copied().unwrap_or(0);
            for _ in 0..count {
                let (sender, from) = listener.accept()?;
                let Some((index, receiver)) = waiting.remove(&(from, address.into())) else {
                    return Err(io::Error::other(format!("{from} is unknown")));
                };
                prepare(&sender, &transfers[index])?;
                ends[index] = Some(Ends { sender, receiver });
            }
        }
    }
    let all: Option<Vec<Ends>> = ends.into_iter().collect();
    all.ok_or_else(|| io::Error::other("a connection is missing"))
}
