'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const tls = require('node:tls')
const { launchChromium } = require('../support/chromium')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')
const { ServerProcess } = require('../support/server-process')

const certificate = name => path.resolve(__dirname, '../support/certificates', name)

/** More than the six connections that a browser opens to one server with HTTP/1.1. */
const FEEDS = 20

describe('a server with a certificate', () => {
  let folder, server, plain, secure

  before(async () => {
    folder = new DataFolder('memory', { iterations: 10 })
    for (const name of ['crt', 'key']) fs.copyFileSync(certificate(`first.${name}`), path.join(folder.path, name))
    fs.appendFileSync(path.join(folder.path, 'potoroo.ini'), '[ssl]\nport = 0\n')
    server = await ServerProcess.start([...folder.words(), '--tls-cert', path.join(folder.path, 'crt'), '--tls-key', path.join(folder.path, 'key')])
    plain = await server.started
    secure = /https:\/\/[\d.]+:\d+/.exec(server.output)[0]
    await new HttpClient(plain, admin).ask('PUT', '/db')
  })
  after(async () => {
    await server.end('SIGKILL')
    await folder.remove()
  })

  it(`gives a page in Chromium ${FEEDS} live feeds over HTTP/2, and answers it beside them`, async function () {
    this.timeout(600_000)
    const browser = await launchChromium({ timeout: 120_000 })
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const page = await context.newPage()
      await page.goto(`${secure}/_up`)
      const seen = await page.evaluate(useFeeds, { ...admin, count: FEEDS })
      assert.deepEqual(seen.protocols, ['h2'])
      assert.equal(seen.written, 201)
      assert.deepEqual(seen.ids, Array(FEEDS).fill('doc'))
    } finally {
      await browser.close()
    }
  })

  it('takes another one when it is told to with SIGHUP', async () => {
    assert.equal((await presented()).fingerprint, fingerprint('first'))
    for (const name of ['crt', 'key']) fs.copyFileSync(certificate(`second.${name}`), path.join(folder.path, name))
    process.kill(server.pid, 'SIGHUP')
    let now = await presented()
    while (now.fingerprint !== fingerprint('second')) now = await presented()
    assert.equal((await fetch(`${plain}/_up`)).status, 200)
  })

  async function presented () {
    const { port } = new URL(secure)
    const socket = tls.connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false })
    try {
      await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
      return socket.getPeerCertificate()
    } finally {
      socket.destroy()
    }
  }
})

function fingerprint (name) {
  const { X509Certificate } = require('node:crypto')
  return new X509Certificate(fs.readFileSync(certificate(`${name}.crt`))).fingerprint
}

/** Runs in the page. */
async function useFeeds ({ name, password, count }) {
  const { EventSource, location, performance } = /** @type {any} */ (globalThis)
  const send = (method, path, body) => fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  await send('POST', '/_session', { name, password })
  const feeds = Array.from({ length: count }, () => new EventSource('/db/_changes?feed=eventsource&since=now&heartbeat=10000'))
  await Promise.all(feeds.map(feed => new Promise(resolve => { feed.onopen = resolve })))
  const told = Promise.all(feeds.map(feed => new Promise(resolve => { feed.onmessage = message => resolve(JSON.parse(message.data).id) })))
  const { status: written } = await send('PUT', '/db/doc', {})
  const ids = await told
  for (const feed of feeds) feed.close()
  const protocols = performance.getEntriesByType('resource').filter(({ name }) => name.startsWith(location.origin)).map(({ nextHopProtocol }) => nextHopProtocol)
  return { written, ids, protocols: [...new Set(protocols)].filter(Boolean) }
}
