use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

#[test]
fn built_in_means() {
    // Independent sums of (p₂ − p₁)(x₁ + x₂)/2 over the files in data/.
    let websearch = SizeDistribution::builtin("websearch").unwrap();
    assert!((websearch.mean() - 1_711_250.0).abs() < 1e-3, "{}", websearch.mean());
    let hadoop = SizeDistribution::builtin("hadoop").unwrap();
    // The sizes below half a byte, a 200th of the first hundredth, count as 1 byte, not as 0.
    assert!((hadoop.mean() - (120_420.75 + 0.01 * 0.5 / 100.0)).abs() < 1e-3, "{}", hadoop.mean());
}

#[test]
fn quantiles_at_points_and_ends() {
    let sizes = SizeDistribution::builtin("websearch").unwrap();
    for (u, bytes) in [
        (0.0, 1),
        (0.15, 10_000),
        (0.7, 1_000_000),
        (1.0, 30_000_000),
        (-3.0, 1),
        (7.0, 30_000_000),
    ] {
        assert_eq!(sizes.quantile(u), Bytes::new(bytes));
    }
    assert_eq!(sizes.quantile(f64::NAN), Bytes::new(1));
    let constant = SizeDistribution::constant(Bytes::new(64));
    assert_eq!((constant.quantile(0.3), constant.mean()), (Bytes::new(64), 64.0));
    let step = SizeDistribution::from_csv("10,0\n10,0.5\n90,0.5\n90,1", "step").unwrap();
    assert_eq!((step.quantile(0.5), step.quantile(0.6)), (Bytes::new(10), Bytes::new(90)));
    assert_eq!((step.mean(), step.largest()), (50.0, Bytes::new(90)));
}

#[test]
fn errors_name_file_line_and_fix() {
    let message = |text: &str| SizeDistribution::from_csv(text, "my.csv").unwrap_err().to_string();
    for (text, expected) in [
        ("", "my.csv, line 1: the file ends after 0 points: a distribution has at least 2"),
        ("0,0", "my.csv, line 1: the file ends after 1 points: a distribution has at least 2"),
        (
            "# c\n0,0\n5,0.5\n4,1",
            "my.csv, line 4: size_bytes falls from 5 to 4: order the points by size, so that both \
             columns rise",
        ),
        (
            "0,0\n5,0.5\n6,0.4",
            "my.csv, line 3: cum_prob falls from 0.5 to 0.4: order the points by size, so that \
             both columns rise",
        ),
        (
            "1,0.5\n2,1",
            "my.csv, line 1: the first cum_prob is 0.5: begin with the smallest size at \
             probability 0",
        ),
        (
            "1,0\n2,0.9",
            "my.csv, line 2: the last cum_prob is 0.9: end with the largest size at probability 1",
        ),
        (
            "# c\nSize_Bits,cum_prob\n0,0\n8,1",
            "my.csv, line 2: the column is called \"Size_Bits\": write sizes in bytes, an eighth \
             of what they are in bits",
        ),
        (
            "a,b\n1,x",
            "my.csv, line 2: cum_prob is \"x\", which is not a number: write size_bytes,cum_prob",
        ),
        (
            "a,b\nc,d",
            "my.csv, line 2: size_bytes is \"c\", which is not a number: write size_bytes,cum_prob",
        ),
        (
            "nan,0\n1,1",
            "my.csv, line 1: size_bytes is NaN: write a finite number that is not negative",
        ),
        (
            "1,0\ninf,1",
            "my.csv, line 2: size_bytes is inf: write a finite number that is not negative",
        ),
        (
            "-1,0\n1,1",
            "my.csv, line 1: size_bytes is -1: write a finite number that is not negative",
        ),
        (
            "0,0\n1,50\n2,100",
            "my.csv, line 2: cum_prob is 50: it seems to be in percent; divide the column by 100",
        ),
        ("0,0\n1,101", "my.csv, line 2: cum_prob is 101: a cumulative probability is at most 1"),
        (
            "0,0\n1e20,1",
            "my.csv, line 2: size_bytes is 100000000000000000000: the largest flow has 1 PiB",
        ),
        ("1 0\n2 1", "my.csv, line 1: found 1 fields: write size_bytes,cum_prob"),
        ("1,0,0", "my.csv, line 1: found 3 fields: write size_bytes,cum_prob"),
        ("0,0\n0,1", "my.csv, line 2: the largest size is 0: at least one flow must have a byte"),
    ] {
        assert_eq!(message(text), expected);
    }
    let many = "0,0\n".repeat(MAX_POINTS + 1);
    assert_eq!(
        message(&many),
        format!(
            "my.csv, line {}: there are more than 65536 points: thin the distribution out",
            MAX_POINTS + 1
        )
    );
    let unknown = SizeDistribution::builtin("web").unwrap_err().to_string();
    assert_eq!(
        unknown,
        "there is no distribution of sizes `web`; known: websearch, hadoop, wide-area"
    );
    let endless = SizeDistribution::from_reader(std::io::repeat(b' '), "my.csv").unwrap_err();
    assert!(matches!(endless, DistributionError::TooLong { .. }), "{endless}");
    let binary = SizeDistribution::from_reader(&b"\xff\xfe"[..], "my.csv").unwrap_err();
    assert!(matches!(binary, DistributionError::Unreadable { .. }), "{binary}");
    assert!(binary.to_string().ends_with(": it is not text (UTF-8)"), "{binary}");
}

fn distributions() -> impl Strategy<Value = SizeDistribution> {
    (vec((0u32..3000, 0u32..100), 1..12), 1u32..5, any::<bool>()).prop_map(
        |(steps, scale, flat)| {
            let total: u32 = steps.iter().map(|(_, weight)| weight).sum::<u32>().max(1);
            let (mut bytes, mut weight) = (u32::from(flat), 0);
            let mut text = format!("{},0\n", f64::from(bytes) / f64::from(scale));
            for (grow, heavier) in steps {
                bytes += grow;
                weight += heavier;
                let probability = f64::from(weight) / f64::from(total);
                text += &format!("{},{probability}\n", f64::from(bytes) / f64::from(scale));
            }
            text += &format!("{},1\n", bytes + 10);
            SizeDistribution::from_csv(&text, "generated").unwrap()
        },
    )
}

proptest! {
    #[test]
    fn any_text_gives_a_distribution_or_an_error(text in "[0-9.,\\-+eEnaif# \n]{0,80}|\\PC{0,60}") {
        match SizeDistribution::from_csv(&text, "t") {
            Ok(sizes) => {
                prop_assert!(sizes.mean() >= 1.0 && sizes.mean() <= MAX_FLOW_BYTES);
                prop_assert!(sizes.quantile(0.0).get() >= 1);
            }
            Err(error) => prop_assert!(error.to_string().starts_with("t, line ")),
        }
    }

    #[test]
    fn quantiles_rise_and_invert_the_points(sizes in distributions(), us in vec(0.0f64..=1.0, 2..50)) {
        let mut us = us;
        us.sort_by(f64::total_cmp);
        let quantiles: Vec<_> = us.iter().map(|u| sizes.quantile(*u)).collect();
        prop_assert!(quantiles.is_sorted());
        for point in &sizes.points {
            prop_assert!(sizes.quantile(point.probability) <= whole(point.bytes));
        }
    }

    #[test]
    fn the_mean_is_the_mean_of_the_quantiles(sizes in distributions()) {
        let n = 20_000;
        let sum: f64 = (0..n).map(|i| sizes.quantile((f64::from(i) + 0.5) / f64::from(n)).get() as f64).sum();
        // The midpoint rule errs by at most (largest − smallest) / n for a rising function.
        let largest = sizes.quantile(1.0).get() as f64;
        prop_assert!((sum / f64::from(n) - sizes.mean()).abs() <= largest / f64::from(n) + 1e-9);
    }
}
