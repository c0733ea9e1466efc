'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')

const index = require.resolve('..')

/**
 * Runs a script in a Node.js process of its own, with `{ Pool }` at hand.
 *
 * @param {string} script
 * @param {string[]} args `process.argv.slice(1)` of the script
 * @param {Record<string, string>} [env] more variables of its environment
 */
function start (script, args, env = {}) {
  const program = `const { Pool } = require(${JSON.stringify(index)})\n${script}`
  return spawn(process.execPath, ['-e', program, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } })
}

/** Its standard output, when it has ended by itself. */
async function run (script, args, env) {
  const child = start(script, args, env)
  child.stdin.end()
  const [output, [code, signal]] = await Promise.all([read(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`The child ended with ${code ?? signal}: ${output}`)
  return output
}

async function read (stream) {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

module.exports = { start, run }
