'use strict'

/**
 * Runs a trial in steps: first warm, then timed.
 *
 * @param {import('./catalogue').Trial} trial
 * @param {any} state of `trial.prepare`
 * @param {{ cpu (): Promise<number>, profile (): Promise<void>, profiled (): Promise<object>, collect (): Promise<void> }} meter
 *   of the process whose work is measured
 * @param {{ seconds: number, profile: boolean }} options
 */
async function measure (trial, state, meter, { seconds, profile }) {
  const most = trial.most ?? Infinity
  // A server takes a second or two until V8 has compiled what is hot.
  const warm = await runFor(trial, state, { start: 0, end: most / 2, seconds })
  await meter.collect()
  if (profile) await meter.profile()
  const cpu = await meter.cpu()
  const wall = performance.now()
  const { units } = await runFor(trial, state, { start: warm.next, end: most, seconds })
  const elapsed = performance.now() - wall
  const spent = await meter.cpu() - cpu
  return {
    sample: { units, cpu: spent / units, wall: elapsed * 1000 / units },
    profile: profile ? await meter.profiled() : undefined
  }
}

/** At least one step; the last one begins before `end` and before the time is over. */
async function runFor (trial, state, { start, end, seconds }) {
  const deadline = performance.now() + seconds * 1000
  let next = start
  let units = 0
  do {
    units += await trial.run(state, next, trial.step) ?? trial.step
    next += trial.step
  } while (next < end && performance.now() < deadline)
  return { next, units }
}

module.exports = { measure }
