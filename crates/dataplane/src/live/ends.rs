//! A link's interfaces: one on this machine, one for the command, and between them two in the
//! link's own namespace.

use std::fs;
use std::io;

use super::addresses::{Addresses, NETWORKS};
use super::error::LiveError;
use super::namespace::Namespace;
use super::netlink::{Interface, Netlink};

/// The ends in the link's namespace, and the command's interface.
pub(super) const TO_FAR: &str = "far";
pub(super) const TO_NEAR: &str = "near";
pub(super) const NEAR: &str = "eth0";
/// The smallest MTU of IPv6 (RFC 8200, §5).
pub(super) const LEAST_6: u32 = 1280;
/// Hardware addresses within the link's namespace, which nothing is sent to.
const INSIDE: [[u8; 6]; 2] = [[0x02, 0xfb, 0xff, 0, 0, 1], [0x02, 0xfb, 0xff, 0, 0, 2]];

/// Joins the present namespace and `near` by `link`; on both sides everything is ready to be used.
pub(super) fn join(link: &Namespace, near: &Namespace, mtu: u32) -> Result<Addresses, LiveError> {
    let failed = LiveError::at;
    // What the link's own kernel would say is none of the link's.
    link.within(silence).map_err(failed("prepare the link's namespace"))?;
    let mut here = Netlink::open().map_err(failed("talk to the kernel about interfaces"))?;
    let addresses = first_free(&mut here, link, mtu)?;
    let [far_hardware, near_hardware] = addresses.hardware();
    link.within(|| {
        let mut inside = Netlink::open()?;
        let to_near = Interface { name: TO_NEAR, address: INSIDE[1] };
        inside.make_pair(to_near, Interface { name: NEAR, address: near_hardware }, near, mtu)?;
        for name in [TO_FAR, TO_NEAR] {
            let index = inside.index(name)?;
            inside.set_up(index)?;
        }
        Ok(())
    })
    .map_err(failed("make the link's interfaces"))?;
    let [far_end, near_end] = addresses.ends();
    let others =
        |end: [(std::net::IpAddr, u8); 2], hardware| end.map(|(address, _)| (address, hardware));
    set_end(&mut here, &addresses.interface(), far_end, others(near_end, near_hardware), mtu)
        .map_err(failed("set up the interface on this machine"))?;
    near.within(|| {
        let mut inside = Netlink::open()?;
        set_end(&mut inside, NEAR, near_end, others(far_end, far_hardware), mtu)?;
        let index = inside.index(NEAR)?;
        inside.add_default_route(index, addresses.far().into())?;
        if mtu >= LEAST_6 {
            // A kernel without IPv6 has no use for it.
            let _ = inside.add_default_route(index, far_end[1].0);
        }
        Ok(())
    })
    .map_err(failed("set up the command's interface"))?;
    Ok(addresses)
}

/// Lets the present namespace be used at all, where it is a new one: loopback, and echo requests by
/// users.
pub(super) fn prepare() -> io::Result<()> {
    let mut netlink = Netlink::open()?;
    let loopback = netlink.index("lo")?;
    netlink.set_up(loopback)?;
    let group = rustix::process::getgid().as_raw();
    // Without it, `ping` needs a capability.
    let _ = fs::write("/proc/sys/net/ipv4/ping_group_range", format!("{group} {group}"));
    Ok(())
}

/// No IPv6 of its own in a namespace: it would greet its neighbours. Where the kernel has none,
/// there is nothing to do.
pub(super) fn silence() -> io::Result<()> {
    for which in ["all", "default"] {
        let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{which}/disable_ipv6"), "1");
    }
    Ok(())
}

/// Makes the interface on this machine, with the first number that nobody uses.
fn first_free(here: &mut Netlink, link: &Namespace, mtu: u32) -> Result<Addresses, LiveError> {
    let failed = LiveError::at("make the interface on this machine");
    let taken = here.networks().map_err(&failed)?;
    let free = (0..NETWORKS).map(Addresses::numbered);
    for addresses in free.filter(|one| taken.iter().all(|network| !one.meets(*network))) {
        let name = addresses.interface();
        let far = Interface { name: &name, address: addresses.hardware()[0] };
        match here.make_pair(far, Interface { name: TO_FAR, address: INSIDE[0] }, link, mtu) {
            Ok(()) => return Ok(addresses),
            // Another link was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(LiveError::NoAddress)
}

/// Gives an end its addresses, and tells it the other's, so that it need not ask across the link.
fn set_end(
    netlink: &mut Netlink,
    name: &str,
    [own, own_6]: [(std::net::IpAddr, u8); 2],
    [other, other_6]: [(std::net::IpAddr, [u8; 6]); 2],
    mtu: u32,
) -> io::Result<()> {
    let index = netlink.index(name)?;
    netlink.set_up(index)?;
    netlink.add_address(index, own.0, own.1)?;
    netlink.add_neighbour(index, other.0, other.1)?;
    if mtu >= LEAST_6 && netlink.add_address(index, own_6.0, own_6.1).is_ok() {
        netlink.add_neighbour(index, other_6.0, other_6.1)?;
    }
    Ok(())
}
