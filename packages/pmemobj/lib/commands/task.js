'use strict'

const { ProgressLine } = require('./progress-line')

/** @typedef {{ map: string | undefined, entries: number, bytes: number }} Progress */

/**
 * Runs a command that takes its time: with a line that says how far it is, a last one that says what
 * was done, and an end, with nothing left behind, if it is interrupted.
 *
 * @param {{ quiet?: boolean }} options
 * @param {(task: { signal: AbortSignal, onProgress: (progress: Progress, total?: number) => void }) => Promise<string>} work
 */
async function runTask ({ quiet }, work) {
  const controller = new AbortController()
  const interrupt = () => controller.abort(new Error('interrupted, nothing is left behind'))
  const line = new ProgressLine()
  /** @type {(progress: Progress, total?: number) => void} */
  const onProgress = quiet ? () => {} : (progress, total) => line.show(progress, total)
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  let said
  try {
    said = await work({ signal: controller.signal, onProgress })
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    line.end()
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
  if (!quiet) process.stderr.write(`${said}\n`)
}

/** @param {{ maps: number, entries: number }} done */
function inWords ({ maps, entries }) {
  return `${maps} ${maps === 1 ? 'map' : 'maps'}, ${entries} ${entries === 1 ? 'entry' : 'entries'}`
}

module.exports = { inWords, runTask }
