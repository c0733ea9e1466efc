'use strict'

const { execFile } = require('node:child_process')
const path = require('node:path')

const program = path.join(__dirname, '../bin/pmemobj.js')

/**
 * Runs the command `pmemobj` to its end.
 *
 * @param {string[]} words its arguments
 * @returns {Promise<{ code: number | string, stdout: string, stderr: string }>} `code` is the exit
 *   code, or the signal that ended it
 */
function command (words) {
  return new Promise(resolve => {
    execFile(process.execPath, [program, ...words], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code ?? error.signal, stdout, stderr })
    })
  })
}

module.exports = { command }
