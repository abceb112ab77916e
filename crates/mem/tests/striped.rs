//! A striped device is the device whose channels all get the same requests.
#![allow(clippy::unwrap_used)]

use crate::streams::{Offer, controllers, memories, refused_at_the_end, streams};
use forebay_mem::{
    ControllerConfig, Device, HbmConfig, PagePolicy, Refresh, Scheduling, StripedDevice,
};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn striped_equals_all_channels_alike(
        hbm in memories(),
        controller in controllers(),
        offers in streams(50),
    ) {
        striped_equals_alike(&hbm, &controller, &offers)?;
    }
}

#[test]
fn a_refused_request_leaves_the_next_event_right() {
    let mut hbm = HbmConfig { refresh: Refresh::Off, ..HbmConfig::samsung_hbm2e() };
    hbm.timing.t_rc = 120;
    hbm.timing.t_rrd_s = 1;
    hbm.timing.t_rrd_l = 3;
    hbm.timing.t_faw = 9;
    hbm.timing.t_ccd_s = 3;
    let scheduling = Scheduling::FrFcfs { group_limit: 1, hit_limit: 0 };
    let controller = ControllerConfig { queue_depth: 2, scheduling, page: PagePolicy::Open };
    striped_equals_alike(&hbm, &controller, &refused_at_the_end()).unwrap();
}

/// Gives both devices the same requests, and compares all that they tell.
fn striped_equals_alike(
    hbm: &HbmConfig,
    controller: &ControllerConfig,
    offers: &[Offer],
) -> Result<(), TestCaseError> {
    let channels = usize::from(hbm.geometry.pseudo_channels);
    let mut device = Device::new(hbm, controller).unwrap();
    let mut striped = StripedDevice::new(hbm, controller).unwrap();
    let mut now = Time::ZERO;
    for &(gap, mut request) in offers {
        now += gap;
        for channel in 0..channels {
            let share = device.submit(now, channel, request);
            request.useful = hbm.geometry.stripe_bytes() * u64::from(request.columns);
            prop_assert_eq!(share, striped_twin(&striped, now, request, channel));
            request.useful = hbm.geometry.access_bytes * u64::from(request.columns);
        }
        request.useful = hbm.geometry.stripe_bytes() * u64::from(request.columns);
        let _ = striped.submit(now, request);
    }
    prop_assert_eq!(device.next_event(), striped.next_event());
    now += Duration::from_us(200);
    let mut whole = vec![Vec::new(); channels];
    let mut one = Vec::new();
    device.advance(now, &mut |channel, completion| whole[channel].push(completion));
    striped.advance(now, &mut |completion| one.push(completion));
    for channel in whole {
        prop_assert_eq!(&channel, &one);
    }
    prop_assert_eq!(device.stats(), striped.stats());
    prop_assert_eq!(
        striped.stats().bytes_read,
        striped.channel_stats().bytes_read * channels as u64
    );
    Ok(())
}

/// What the striped device would answer, without changing it.
fn striped_twin(
    striped: &StripedDevice,
    now: Time,
    request: forebay_mem::Request,
    _channel: usize,
) -> Result<(), forebay_mem::SubmitError> {
    striped.clone().submit(now, request)
}

#[test]
fn a_padded_request_moves_whole_stripes() {
    let mut hbm = StripedDevice::new(&Default::default(), &Default::default()).unwrap();
    let columns = hbm.columns_for(Bytes::new(1500)) as u16;
    let stripe = hbm.geometry().stripe_bytes();
    let mut write = forebay_mem::Request::new(
        1,
        forebay_mem::Direction::Write,
        Default::default(),
        9,
        columns,
        stripe,
    );
    write.useful = Bytes::new(1500);
    hbm.submit(Time::ZERO, write).unwrap();
    hbm.advance(Time::from_ps(1_000_000), &mut |_| {});
    assert_eq!(hbm.stats().bytes_written, Bytes::new(1536));
    assert_eq!(hbm.stats().useful_written, Bytes::new(1500));
    assert_eq!(hbm.row_bytes(), Bytes::new(16 << 10));
}
