'use strict'

// A trial that mostly waits (for a disk) ends after this many times as long by the clock.
const PATIENCE = 8

// Times as long as it is timed: V8's compilers take some 3 s of CPU time for the path of one HTTP request.
const WARM = 2

/**
 * Runs a trial in steps: first warm, then timed. How long is counted in CPU time, so that V8 has
 * compiled what is hot however busy the machine is.
 *
 * Garbage of what came before is collected before the warm-up: V8 drops code that it has compiled
 * for objects of which none is alive when it is told to collect, which a server never tells it.
 *
 * @param {import('./catalogue').Trial} trial
 * @param {any} state of `trial.prepare`
 * @param {Meter} meter
 * @param {{ seconds: number, profile: boolean }} options
 *
 * @typedef {object} Meter of the process whose work is measured
 * @property {() => Promise<number>} cpu µs so far
 * @property {() => Promise<void>} collect garbage
 * @property {() => Promise<void>} profile from now on
 * @property {() => Promise<object>} profiled until now
 */
async function measure (trial, state, meter, { seconds, profile }) {
  const most = trial.most ?? Infinity
  await meter.collect()
  const warm = await runFor(trial, state, meter, { start: 0, end: most / 2, seconds: WARM * seconds })
  if (profile) await meter.profile()
  const { units, cpu, wall } = await runFor(trial, state, meter, { start: warm.next, end: most, seconds })
  return {
    sample: { units, cpu: cpu / units, wall: wall / units },
    profile: profile ? await meter.profiled() : undefined
  }
}

/** At least one step; the last one begins before `end` and before the time is over. Times in µs. */
async function runFor (trial, state, meter, { start, end, seconds }) {
  const spent = { next: start, units: 0, cpu: 0, wall: 0 }
  let lap = await Lap.start(meter)
  do {
    if (trial.ready) {
      await trial.ready(state, spent.next, trial.step)
      lap = await Lap.start(meter)
    }
    spent.units += await trial.run(state, spent.next, trial.step) ?? trial.step
    spent.next += trial.step
    lap = await lap.end(spent)
  } while (spent.next < end && spent.cpu < seconds * 1e6 && spent.wall < PATIENCE * seconds * 1e6)
  return spent
}

/** One step's time. The next step's begins where it ends, so nothing falls between them. */
class Lap {
  constructor (meter, cpu) {
    this.meter = meter
    this.cpu = cpu
    this.began = performance.now()
  }

  static async start (meter) {
    return new Lap(meter, await meter.cpu())
  }

  async end (spent) {
    const next = await Lap.start(this.meter)
    spent.cpu += next.cpu - this.cpu
    spent.wall += (next.began - this.began) * 1000
    return next
  }
}

module.exports = { measure }
