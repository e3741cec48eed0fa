#include <cmath>

#include "doctest/doctest.h"
#include "tree/split_rule.hpp"

namespace silvics {
namespace {

TEST_CASE("a threshold is stored as it is") {
    for (const double threshold : {0.0, -0.0, 1.5e300, HUGE_VAL, -HUGE_VAL}) {
        const SplitRule rule = threshold;
        CHECK(rule.is_threshold());
        CHECK_FALSE(rule.is_levels());
        CHECK_FALSE(rule.is_record());
        CHECK(rule.threshold() == threshold);
        CHECK(rule.stored() == threshold);
    }
    CHECK_FALSE(SplitRule(0.0) == SplitRule(-0.0));
}

TEST_CASE("a rule of levels and a record differ, and are restored from the stored bytes") {
    using Form = LevelRule::Form;
    for (const Form form : {Form::in_place_bits, Form::coin, Form::apart, Form::pending}) {
        const SplitRule rule = LevelRule(form, 1234, true);
        CHECK_FALSE(rule.is_threshold());
        CHECK(rule.is_levels());
        CHECK_FALSE(rule.is_record());
        const SplitRule again = SplitRule::from_stored(rule.stored());
        CHECK(again == rule);
        CHECK(again.levels().form() == form);
        CHECK(again.levels().content() == 1234);
        CHECK(again.levels().others_left());
    }
    const SplitRule record = SplitRule::record(77);
    CHECK(record.is_record());
    CHECK_FALSE(record.is_levels());
    CHECK_FALSE(record.is_threshold());
    CHECK(record.record_offset() == 77);
    CHECK_FALSE(record == SplitRule::record(78));
}

}  // namespace
}  // namespace silvics
