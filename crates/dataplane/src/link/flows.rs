//! Numbers for flows, in the order in which they first appear.
//!
//! At most [`MOST`]; when a new one does not fit, all are forgotten and numbered anew, so that no
//! scan of ports takes memory. O(1) a frame; neighbours are often of one flow, which is not looked
//! up again.

use std::collections::HashMap;

use forebay_switch::FlowId;
use forebay_workload::Headers;

/// The most flows that are told apart.
const MOST: usize = 1 << 16;
/// All that is not IP.
const OTHERS: FlowId = 0;

#[derive(Debug, Default)]
pub(crate) struct Flows {
    numbers: HashMap<Headers, FlowId>,
    last: Option<(Headers, FlowId)>,
}

impl Flows {
    pub(crate) fn number(&mut self, headers: Option<Headers>) -> FlowId {
        let Some(headers) = headers else { return OTHERS };
        if let Some((last, number)) = self.last
            && last == headers
        {
            return number;
        }
        if self.numbers.len() == MOST && !self.numbers.contains_key(&headers) {
            self.numbers.clear();
        }
        let next = self.numbers.len() as FlowId + 1;
        let number = *self.numbers.entry(headers).or_insert(next);
        self.last = Some((headers, number));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_of_ports_is_bounded() {
        let mut flows = Flows::default();
        let headers = |port: u32| Headers {
            source: [10, 0, 0, 1].into(),
            destination: [10, 0, (port >> 16) as u8, 2].into(),
            protocol: 17,
            ports: [port as u16, 9],
        };
        assert_eq!(flows.number(None), OTHERS);
        let numbers: Vec<_> = (0..3).map(|port| flows.number(Some(headers(port)))).collect();
        assert_eq!((numbers, flows.number(Some(headers(1)))), (vec![1, 2, 3], 2));
        let most = (0..200_000).map(|port| flows.number(Some(headers(port)))).max();
        assert!(flows.numbers.len() <= MOST && most == Some(MOST as u32));
    }
}
