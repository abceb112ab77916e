//! Any bytes as a SONiC configuration: an explanation that adds up, or errors that name a place;
//! never a panic.
#![no_main]

use forebay_sonic::play::{Burst, Played, Wanted};
use forebay_sonic::{explain, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let config = match parse(file) {
        Ok(config) => config,
        Err(errors) => {
            assert!(!errors.0.is_empty() && !errors.to_string().is_empty());
            return;
        }
    };
    let explained = explain(&config);
    let members: u64 = explained.pools.iter().map(|pool| pool.members).sum();
    assert_eq!(members, config.members.len() as u64);
    for pool in &explained.pools {
        assert!(
            pool.size_bytes
                .is_none_or(|size| pool.shared_bytes.is_some_and(|shared| shared <= size))
        );
    }
    for profile in &explained.profiles {
        assert!(profile.threshold_bytes.windows(2).all(|pair| pair[0] >= pair[1]));
        assert!(!profile.members.is_empty());
    }
    for burst in [Burst::Lossy, Burst::Lossless, Burst::Both] {
        let wanted = Wanted { port: None, lossy: None, lossless: None, burst };
        match Played::new(&config, &wanted) {
            Ok(played) => {
                assert!(played.output < played.ports.len() && played.classes().count() > 0);
                assert_eq!(played.lossless.is_some(), burst.lossless());
                for class in played.classes() {
                    let sizes = [class.queues.len(), class.groups.len()];
                    assert_eq!(sizes, [played.ports.len(); 2]);
                    assert!(!class.lossless || played.inputs(class).count() > 0);
                }
            }
            Err(error) => assert!(!error.path.is_empty() && !error.fix.is_empty()),
        }
    }
});
