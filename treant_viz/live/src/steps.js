// Step curves: functions that jump where they really jump, and are flat in between.

/** The path of a step function that has height y[i] from x[i] on, up to x[i + 1]; the last one runs to `end`. */
export function stepPath(x, y, end) {
  let d = "";
  for (let i = 0; i < x.length; i++) {
    const next = i + 1 < x.length ? x[i + 1] : end;
    d += `${i ? "V" : `M${round(x[i])},`}${round(y[i])}H${round(next)}`;
  }
  return d;
}

export const round = (v) => Math.round(v * 100) / 100;
