'use strict'

const { whyMissing } = require('./porcupine')

/** Faults of a check that are printed. */
const SHOWN = 5

/** @param {Awaited<ReturnType<typeof import('../trial').runTrial>>} result @returns {string} */
function inWords ({ history, faults, recoveries, rounds }) {
  const answers = [...history.answers].sort().map(([status, count]) => `${status} × ${count}`)
  const seconds = [...recoveries].map(([name, times]) => `  ${name}: ${times.length} times, well again after ${Math.max(...times).toFixed(1)} s at most`)
  const found = Object.entries(faults).filter(([, list]) => list.length > 0)
    .map(([check, list]) => `FAULTS of ${check} (${list.length}):\n${list.slice(0, SHOWN).map(text => `  ${text}`).join('\n')}`)
  return [
    `${history.operations.length} operations of clients, ${history.rows.length} changes heard in ${rounds} requests; answers: ${answers.join(', ')}`,
    ...(whyMissing() === null ? [] : [`Histories are not judged by porcupine: ${whyMissing()}`]),
    ...seconds, ...found, found.length === 0 ? 'No check found a fault.' : ''
  ].join('\n')
}

module.exports = { inWords }
