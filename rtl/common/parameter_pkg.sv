// Checks of parameters that say which one is wrong, what it is and what it may be.
//
// Used as the condition of a generate block that holds a plain `$error`. Verilator and slang run the function's own
// `$error` while they elaborate, before they complain of anything that follows from the value; a tool that ignores tasks
// in constant functions stops at the plain one.
package parameter_pkg;
  /// Bits of a number below `count`; at least 1.
  function automatic int unsigned index_width(int unsigned count);
    return count > 2 ? $clog2(count) : 1;
  endfunction

  /// Whether `value` is from `low` to `high`.
  function automatic bit in_range(string name, int unsigned value, int unsigned low,
                                  int unsigned high);
    if (value < low || value > high) begin
      $error("%s = %0d, but must be from %0d to %0d", name, value, low, high);
    end
    return value >= low && value <= high;
  endfunction

  /// Whether `value` is at least `low`.
  function automatic bit at_least(string name, int unsigned value, int unsigned low);
    if (value < low) $error("%s = %0d, but must be at least %0d", name, value, low);
    return value >= low;
  endfunction

  /// Whether `value` is a power of two from `low` to `high`.
  function automatic bit power_of_two(string name, int unsigned value, int unsigned low,
                                      int unsigned high);
    automatic bit right = value >= low && value <= high && (value & (value - 1)) == 0;
    if (!right) begin
      $error("%s = %0d, but must be a power of two from %0d to %0d", name, value, low, high);
    end
    return right;
  endfunction
endpackage
