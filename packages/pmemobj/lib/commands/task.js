'use strict'

const { ProgressLine } = require('./progress-line')

/**
 * What the commands that take their time have in common: a line that says how far they are, a last
 * one that says what was done, and an end, with nothing left behind, where they are interrupted.
 *
 * @param {{ quiet?: boolean }} options
 * @param {(task: { signal: AbortSignal, onProgress: (progress: any, total?: number) => void }) => Promise<string>} work
 */
async function runTask ({ quiet }, work) {
  const controller = new AbortController()
  const interrupt = () => controller.abort(new Error('interrupted, nothing is left behind'))
  const line = new ProgressLine()
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
