'use strict'

const { execFile } = require('node:child_process')
const path = require('node:path')

const examples = path.join(__dirname, '../../examples')

/**
 * @param {string} program of an example, such as `bank/bank.js`
 * @param {string} pool its path
 * @returns {(...words: string[]) => Promise<{ code: number | string, stdout: string, stderr: string }>}
 *   runs one command of it; `code` is the exit code, or the signal that ended it
 */
function commandOf (program, pool) {
  const words = [path.join(examples, program), '--pool', pool]
  return (...more) => new Promise(resolve => {
    execFile(process.execPath, [...words, ...more], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code ?? error.signal, stdout, stderr })
    })
  })
}

module.exports = { commandOf }
