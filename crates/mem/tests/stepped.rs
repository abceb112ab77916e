//! The event-driven controller against the clock-by-clock one: identical completions in order.

use crate::streams::{memories, streams};
use forebay_mem::stepped::SteppedChannel;
use forebay_mem::{ControllerConfig, PagePolicy, PseudoChannel, Scheduling};
use forebay_units::{Duration, Time};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn completions_are_identical(
        hbm in memories(),
        lookahead in 0usize..6,
        queue_depth in 1usize..40,
        closed in any::<bool>(),
        offers in streams(60),
    ) {
        let page = if closed { PagePolicy::Closed } else { PagePolicy::Open };
        let scheduling = Scheduling::InOrder { lookahead };
        let controller = ControllerConfig { queue_depth, scheduling, page };
        let mut events = PseudoChannel::new(&hbm, &controller).unwrap();
        let mut clocks = SteppedChannel::new(&hbm, lookahead, queue_depth, page).unwrap();
        let (mut now, mut ours, mut naive) = (Time::ZERO, Vec::new(), Vec::new());
        for &(gap, request) in &offers {
            now += gap;
            // A full queue refuses alike; the request is then dropped by both.
            prop_assert_eq!(events.submit(now, request), clocks.submit(now, request));
        }
        now += Duration::from_us(100);
        events.advance(now, &mut |c| ours.push(c));
        clocks.advance(now, &mut |c| naive.push(c));
        prop_assert_eq!(ours, naive);
    }
}
