// Movements of about 300 ms that show what changed; none where the reader prefers reduced motion.

export const still = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true;
const ease = (t) => 1 - (1 - t) ** 3;

/** Calls draw(interpolated numbers) until the target is reached; a new target starts from where things stand. */
export function moving(draw, duration = 300) {
  let now = null, frame = 0;
  return function to(target, { at_once = false } = {}) {
    cancelAnimationFrame(frame);
    if (now === null || at_once || still() || now.length !== target.length) {
      now = target.slice();
      draw(now);
      return;
    }
    const from = now.slice(), start = performance.now();
    const step = (time) => {
      const t = Math.min(1, Math.max(0, (time - start) / duration)), k = ease(t);
      now = target.map((x, i) => (t === 1 ? x : from[i] + (x - from[i]) * k));
      draw(now);
      if (t < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  };
}
