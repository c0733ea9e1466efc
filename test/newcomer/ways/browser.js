'use strict'

const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { serve } = require('potoroo')
const { findBrowser } = require('../../../scripts/lib/system-packages')
const { blocks, read } = require('../../layers/markdown')
const { launchChromium } = require('../../support/chromium')

const SYNC = /todos\.sync\('http:\/\/anna:secret@127\.0\.0\.1:5984\/todos', \{.*\}\)/

/** @param {string} file @returns {string} the page that a README shows */
function pageOf (file) { return blocks(read(file), 'html')[0].code }

/**
 * The pages of two READMEs: PouchDB with a storage of its own, and with pouchdb-adapter-level. A document of one comes to the
 * other, in another browser's profile, by a server.
 */
module.exports = {
  name: 'a web page, with pouchdb-adapter-level',
  missing: () => findBrowser() === null ? 'there is no Chromium' : null,
  /** @param {import('../../install/packed-packages').PackedPackages} packages @returns {Promise<string>} what it did */
  async run (packages) {
    const there = packages.project('page')
    await there.install('pouchdb', 'pouchdb-adapter-level')
    const server = await serve({ storage: 'memory', port: 0, admins: { anna: 'secret' }, log: () => {} })
    const site = await serveFiles(there.folder)
    const browser = await launchChromium()
    try {
      await fetch(`${server.url}/todos`, { method: 'PUT', headers: { Authorization: `Basic ${btoa('anna:secret')}` } })
      const url = server.url.replace('//', '//anna:secret@')
      const [sync] = SYNC.exec(read('README.md')) ?? []
      if (sync === undefined) throw new Error('README.md shows no page that syncs')
      const shown = pageOf('README.md').replace('const todos =', 'globalThis.todos =')
      const level = pageOf('adapters/pouchdb-adapter-level/README.md').replace('const db =', 'globalThis.todos =').replace('\n</script>\n', `\n  ${sync}\n</script>\n`)
      const [writer, reader] = [shown, level].map(page => page.replace('http://anna:secret@127.0.0.1:5984', url))
      there.write('writer.html', writer)
      there.write('reader.html', reader)
      const [one, other] = [await open('writer'), await open('reader')]
      await one.evaluate('todos.put({ _id: "milk", title: "milk" })')
      const [title, adapter] = await other.evaluate('new Promise(resolve => todos.changes({ since: 0, live: true, include_docs: true }).on("change", ({ doc }) => resolve([doc.title, todos.adapter])))')
      return `synced ${title}; storage: ${adapter}`
    } finally {
      await browser.close()
      site.closeAllConnections()
      site.close()
      await server.close()
    }

    /** A page in a profile of its own, which has the network of this machine alone. @param {string} name */
    async function open (name) {
      const context = await browser.newContext()
      await context.route(url => url.hostname !== '127.0.0.1', route => {
        const [, pack, file] = /^https:\/\/cdn\.jsdelivr\.net\/npm\/(\w+)@[^/]+\/(.+)$/.exec(route.request().url()) ?? []
        return pack === undefined ? route.abort() : route.fulfill({ path: there.module(pack, file) })
      })
      const page = await context.newPage()
      page.on('pageerror', error => console.error(name, error))
      await page.goto(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (site.address()).port}/${name}.html`)
      return page
    }
  }
}

/** @param {string} folder */
async function serveFiles (folder) {
  const site = http.createServer((request, response) => {
    const file = path.join(folder, path.normalize(/** @type {string} */ (request.url)))
    if (!fs.existsSync(file)) return response.writeHead(404).end()
    response.setHeader('Content-Type', file.endsWith('.html') ? 'text/html' : 'text/javascript')
    response.end(fs.readFileSync(file))
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  return site
}
