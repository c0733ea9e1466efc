'use strict'

const { execFile } = require('node:child_process')
const { simulator } = require('./native/build')

/**
 * Runs lives of pools whose power fails again and again, in a process of their own.
 *
 * @param {{ seed: number, seconds?: number, lives?: number, disk: boolean, durability: 'strict' | 'relaxed', types: string[], fault?: number }} options
 *   `fault` is planted in the engine; then the first life that goes wrong is not made smaller
 * @returns {Promise<{ programs: number, steps: number, cuts: number, crashes: number, wrong?: string }>}
 */
function powerLives (options) {
  const env = { ...process.env, LD_PRELOAD: simulator, PLANTED_FAULT: String(options.fault ?? 0) }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [require.resolve('./power-process'), JSON.stringify(options)], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout))
      else reject(new Error(`${options.fault === undefined ? '' : 'With a fault: '}the process ended with ${error.signal ?? error.code}:\n${stdout}\n${stderr}`))
    })
  })
}

module.exports = { powerLives }
