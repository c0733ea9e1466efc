'use strict'

// node sync.js COMMAND…, or node sync.js URL: what a newcomer does after the installation, by modules of Node.js alone. Starts a
// server with the command, in whatever folder, or takes the one at the URL; writes a document, and lets the server replicate it
// into another database, as a client would.

const { spawn } = require('node:child_process')

const credentials = 'anna:secret'

/** @param {string} url @param {string} method @param {string} path @param {any} [body] */
async function ask (url, method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body)
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** @param {string} url of a server */
async function sync (url) {
  await ask(url, 'PUT', '/todos')
  await ask(url, 'PUT', '/todos/milk', { title: 'milk' })
  await ask(url, 'POST', '/_replicate', { source: 'todos', target: 'copy', create_target: true })
  const { title } = await ask(url, 'GET', '/copy/milk')
  const { storage } = await ask(url, 'GET', '/_node/_local/_system')
  console.log(`synced ${title}; storage: ${storage.storage}`)
}

/** @param {string[]} words */
async function serveAndSync ([command, ...words]) {
  const server = spawn(command, [...words, 'serve', '--port', '0'], { env: { ...process.env, POTOROO_ADMIN: credentials, POTOROO_ALLOW_VOLATILE: 'true' }, stdio: ['ignore', 'pipe', 'inherit'] })
  server.on('close', code => { process.exitCode ||= code ?? 1 })
  try {
    let output = ''
    for await (const text of server.stdout.setEncoding('utf8')) {
      output += text
      const [, url] = /listens on (http:\/\/[^,\s]+)/.exec(output) ?? []
      if (url !== undefined) return await sync(url)
    }
  } finally {
    server.kill()
  }
}

const words = process.argv.slice(2)
const done = /^https?:/.test(words[0]) ? sync(words[0]) : serveAndSync(words)
done.catch(error => {
  console.error(error.message, error.cause ?? '')
  process.exitCode = 1
})
