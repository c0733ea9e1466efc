'use strict'

const assert = require('node:assert/strict')
const { launchChromium } = require('../support/chromium')
const { serve } = require('../../server')

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

describe('the page at /', () => {
  let server

  before(async () => { server = await serve({ storage: 'memory', port: 0, admins: { anna: 'secret' }, config: { chttpd_auth: { iterations: 100 } } }) })
  after(() => server.close())

  const get = (accept, options = {}) => fetch(`${server.url}/`, { ...options, headers: { ...options.headers, ...accept !== undefined && { Accept: accept } } })

  it('is JSON for clients, whatever they say', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html, application/json', 'text/plain', 'application/json, text/plain, */*', 'text/html;q=0.5, */*', 'text/*']) {
      const response = await get(accept)
      assert.match(response.headers.get('content-type'), /^(application\/json|text\/plain)/, String(accept))
      assert.equal((await response.json()).couchdb, 'Welcome')
    }
  })

  it('is HTML for browsers, that loads nothing, runs nothing and is in no frame', async () => {
    for (const accept of [BROWSER, 'text/html', 'application/json;q=0.5, text/html']) {
      const response = await get(accept)
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(response.headers.get('content-security-policy'), /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'$/)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      const text = await response.text()
      assert.doesNotMatch(text, /<script|<img|<link|src=|\son\w+=|secret/)
      assert.match(text, /href="\/_utils\/"/)
    }
    const head = await get(BROWSER, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-type'), await head.text()], [200, 'text/html; charset=utf-8', ''])
  })

  it('says what a client calls the server, as text', async () => {
    const { request } = require('node:http')
    const { port } = new URL(server.url)
    const text = await new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', headers: { Accept: 'text/html', Host: '"><script>alert(1)</script>' } }, async response => {
        let body = ''
        for await (const chunk of response) body += chunk
        resolve(body)
      }).on('error', reject).end()
    })
    assert.doesNotMatch(text, /<script/)
  })

  it('shows in Chromium as its style says, without a complaint', async () => {
    const browser = await launchChromium({ timeout: 120_000 })
    try {
      const page = await browser.newPage({ viewport: { width: 900, height: 900 } })
      const complaints = []
      page.on('console', message => complaints.push(message.text()))
      page.on('pageerror', error => complaints.push(error.message))
      await page.goto(`${server.url}/`)
      assert.equal(await page.textContent('h1'), 'Potoroo is running')
      assert.equal(await page.evaluate(() => globalThis.getComputedStyle(globalThis.document.querySelector('.button')).borderRadius), '8px')
      if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })
      await page.click('text=Open Fauxton')
      assert.match(page.url(), /\/_utils\/$|\/_utils\/#/)
      assert.deepEqual(complaints.filter(each => !/Failed to load resource|favicon/.test(each)), [])
    } finally {
      await browser.close()
    }
  })
})
