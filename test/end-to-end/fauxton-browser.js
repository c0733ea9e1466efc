'use strict'

const { once } = require('node:events')
const path = require('node:path')
const { chromium } = require('playwright-core')
const { findBrowser } = require('../../scripts/lib/system-packages')

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']

/**
 * Fauxton in Chromium. Whatever goes wrong in the page while a test uses it is kept in `failures`:
 * answers of 400 and above that no test expected, requests without an answer, errors in the console
 * and exceptions.
 */
class FauxtonBrowser {
  /** @type {string[]} */
  failures = []
  #pending = new Set()
  #expected = []

  static async open (url) {
    const fauxton = new FauxtonBrowser()
    fauxton.browser = await chromium.launch({ executablePath: findBrowser() ?? 'chromium', args: FLAGS, timeout: 120_000 })
    fauxton.page = await fauxton.browser.newPage({ viewport: { width: 1280, height: 800 } })
    fauxton.page.setDefaultTimeout(100_000)
    fauxton.url = url
    fauxton.#watch()
    return fauxton
  }

  close () { return this.browser.close() }

  async logIn (name, password) {
    await this.visit('login')
    await this.fill('#username', name)
    await this.fill('#password', password)
    await this.click('#submit')
    await this.sees('Log Out')
  }

  /** The next answer of this status whose method and URL match is none to complain of. */
  expect (status, pattern) {
    this.#expected.push({ status, pattern })
  }

  #watch () {
    const { page } = this
    page.on('dialog', dialog => dialog.accept())
    page.on('pageerror', error => this.failures.push(`exception: ${error.stack}`))
    page.on('console', message => {
      // Chromium says so of each answer of 400 and above, which are judged below.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) this.failures.push(`console: ${message.text()}`)
    })
    // The thread of an editor is begun from a blob, and nothing tells when it is there.
    page.on('request', request => { if (!request.url().startsWith('blob:')) this.#pending.add(request) })
    page.on('requestfinished', request => this.#pending.delete(request))
    page.on('requestfailed', request => {
      this.#pending.delete(request)
      // Fauxton gives up some that are of no use any more.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') this.failures.push(`${request.method()} ${request.url()}: ${request.failure()?.errorText}`)
    })
    page.on('response', response => { if (response.status() >= 400) this.#judge(response) })
  }

  #judge (response) {
    const what = `${response.request().method()} ${response.url()}`
    const at = this.#expected.findIndex(({ status, pattern }) => status === response.status() && pattern.test(what))
    if (at === -1) this.failures.push(`${what}: ${response.status()}`)
    else this.#expected.splice(at, 1)
  }

  /** Loads a page of Fauxton, as from a bookmark, and waits until it has drawn what it asked for. */
  async visit (place) {
    // Only another place ends what the page before still does by timers.
    await this.page.goto('about:blank')
    await this.page.goto(`${this.url}/_utils/#/${place}`)
    // Notes lie over buttons for some seconds.
    await this.page.addStyleTag({ content: '.toast-container, .toast-container * { pointer-events: none !important }' })
    await this.settled()
  }

  /** Waits until no request is under way, and what came is drawn. */
  async settled () {
    const { page } = this
    do {
      while (this.#pending.size > 0) await Promise.race([once(page, 'requestfinished'), once(page, 'requestfailed')])
      await page.evaluate(() => new Promise(resolve => window.requestAnimationFrame(() => setTimeout(resolve))))
    } while (this.#pending.size > 0)
  }

  /** Waits until these words are seen. */
  async sees (text, within = 'body') {
    await this.page.locator(within).getByText(text).filter({ visible: true }).first().waitFor()
  }

  /** Clicks on what is seen of this selector. */
  async click (selector) {
    await this.page.locator(selector).filter({ visible: true }).first().click()
  }

  async fill (selector, text) {
    await this.page.locator(selector).filter({ visible: true }).first().fill(text)
  }

  /** Replaces the text of an editor. */
  async write (text, selector = '.ace_editor') {
    await this.page.evaluate(([selector, text]) => {
      const editors = [...document.querySelectorAll(selector)].filter(element => element.getClientRects().length > 0)
      editors[0].env.editor.getSession().setValue(text)
    }, [selector, text])
  }

  /** The text of an editor. */
  read (selector = '.ace_editor') {
    return this.page.evaluate(selector => document.querySelector(selector).env.editor.getValue(), selector)
  }

  /** Keeps a picture for whoever wants to look: FAUXTON_PICTURES is a folder. */
  async picture (name) {
    const folder = process.env.FAUXTON_PICTURES
    if (folder !== undefined) await this.page.screenshot({ path: path.join(folder, `${name}.png`) })
  }
}

module.exports = { FauxtonBrowser }
