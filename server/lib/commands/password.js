'use strict'

const readline = require('node:readline')
const { Writable } = require('node:stream')

/**
 * A password: typed unseen where there is a terminal, the first line of standard input elsewhere.
 *
 * @param {string} prompt
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 * @throws where there is none
 */
async function readPassword (prompt, signal) {
  const { stdin: input, stderr } = process
  const terminal = input.isTTY === true
  const unseen = new Writable({ write (chunk, encoding, done) { done() } })
  const lines = readline.createInterface({ input, output: unseen, terminal })
  // In this mode the terminal sends no signal by itself.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const stop = () => lines.close()
  signal.addEventListener('abort', stop)
  if (terminal) stderr.write(prompt)
  try {
    const line = await new Promise(resolve => {
      lines.once('line', resolve)
      lines.once('close', () => resolve(''))
    })
    signal.throwIfAborted()
    if (line === '') throw new Error('a password is needed, on the terminal or as the first line of standard input')
    return line
  } finally {
    if (terminal) stderr.write('\n')
    signal.removeEventListener('abort', stop)
    lines.close()
  }
}

module.exports = { readPassword }
