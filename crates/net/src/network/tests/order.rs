//! Packets of a flow leave a switch in the order they came: under every scheduler that is first-in
//! first-out within a flow, over shared buffers, and from SRAM and HBM.

use super::*;
use alloc::rc::Rc;
use core::cell::RefCell;
use forebay_parameters::Entry;
use std::collections::HashMap;

use forebay_switch::{AnySwitch, Catalogue, FlowId, PacketId, SwitchConfig};

/// A flow's packets one way.
type Way = (FlowId, bool);

/// Watches the order of what comes and goes.
struct Ordered {
    inner: AnySwitch,
    /// Packets that have come.
    came: u64,
    /// When each packet of a flow came, in packets before it; the number of one that was lost is
    /// used again.
    places: HashMap<(Way, PacketId), u64>,
    /// The place of the last that left.
    last: HashMap<Way, u64>,
    /// Packets that left out of order, and all that left.
    left: Rc<RefCell<[usize; 2]>>,
}

impl SwitchModel for Ordered {
    fn arrive(&mut self, now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        self.came += 1;
        let way = (packet.flow(), packet.is_back());
        self.places.insert((way, packet.packet()), self.came);
        self.inner.arrive(now, port, packet, lost);
    }

    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        let packet = self.inner.next(now, port, lost)?;
        let way = (packet.flow(), packet.is_back());
        let place = self.places.get(&(way, packet.packet())).copied().unwrap();
        let before = self.last.insert(way, place);
        let mut left = self.left.borrow_mut();
        left[0] += usize::from(before > Some(place));
        left[1] += 1;
        Some(packet)
    }

    fn is_empty(&self, port: u16) -> bool {
        self.inner.is_empty(port)
    }

    fn backlog(&self) -> Bytes {
        self.inner.backlog()
    }

    fn next_event(&mut self) -> Option<Time> {
        self.inner.next_event()
    }

    fn advance(&mut self, now: Time, lost: &mut Losses) {
        self.inner.advance(now, lost);
    }

    fn flow_added(&mut self, id: FlowId, data: Bytes, on_wire: Bytes) {
        self.inner.flow_added(id, data, on_wire);
    }
}

/// Packets that left out of order, and all that left.
fn disorder(name: &str) -> [usize; 2] {
    let link = LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) };
    let graph = FatTree::k_ary(4, link).unwrap().graph().unwrap();
    let sender = SenderConfig::default();
    let transport =
        Transport::window(sender, congestion_controls().named("cubic").unwrap()).unwrap();
    let mut config = SwitchConfig::named(name).unwrap();
    if let SwitchConfig::Hybrid(hybrid) = &mut config {
        // Little SRAM, so that packets wait in HBM.
        hybrid.memory.sram = Bytes::new(100_000);
    }
    let left = Rc::new(RefCell::new([0; 2]));
    let mut network = Network::new(&graph, NetworkConfig::new(transport), |shape| Ordered {
        inner: config.build(shape).unwrap(),
        came: 0,
        places: HashMap::new(),
        last: HashMap::new(),
        left: Rc::clone(&left),
    })
    .unwrap();
    let flow = |n: u32| {
        let bytes = Bytes::new(1 + u64::from(n * 7919 % 150_000));
        let start = Time::ZERO + Duration::from_us(10) * u64::from(n);
        Flow::new(n % 16, (n + 1 + n % 15) % 16, bytes, start)
    };
    let flows: Vec<_> = (0..90).map(flow).filter(|flow| flow.src != flow.dst).collect();
    network.add_flows(&flows).unwrap();
    network.run().unwrap();
    *left.borrow()
}

/// By this a flow's later packet ranks before its earlier one: what remains falls.
const REORDER: [&str; 1] = ["srpt"];

#[test]
fn flows_are_not_reordered() {
    for info in Catalogue::default().switches() {
        let [wrong, all] = disorder(info.name());
        assert!(all > 30_000, "{}: {all}", info.name());
        // Those that reorder show that the others were seen.
        assert_eq!(wrong > 0, REORDER.contains(&info.name()), "{}: {wrong} of {all}", info.name());
    }
}
