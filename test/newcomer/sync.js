'use strict'

// node sync.js COMMAND…: what a newcomer does after the installation, by modules of Node.js alone. Starts a server with the
// command, writes a document, and lets the server replicate it into another database, as a client would.

const { spawn } = require('node:child_process')

const [command, ...words] = process.argv.slice(2)
const credentials = 'anna:secret'
const server = spawn(command, [...words, 'serve', '--port', '0'], { env: { ...process.env, POTOROO_ADMIN: credentials }, stdio: ['ignore', 'pipe', 'inherit'] })

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

async function main () {
  let output = ''
  for await (const text of server.stdout.setEncoding('utf8')) {
    output += text
    const [, url] = /listens on (http:\/\/[^,\s]+)/.exec(output) ?? []
    if (url === undefined) continue
    await ask(url, 'PUT', '/todos')
    await ask(url, 'PUT', '/todos/milk', { title: 'milk' })
    await ask(url, 'POST', '/_replicate', { source: 'todos', target: 'copy', create_target: true })
    const { title } = await ask(url, 'GET', '/copy/milk')
    console.log(`synced ${title}; ${/storage: \S+/.exec(output)}`)
    server.kill()
  }
}

server.on('close', code => { process.exitCode ||= code ?? 1 })
main().catch(error => {
  console.error(error.message)
  process.exitCode = 1
  server.kill()
})
