'use strict'

const assert = require('node:assert/strict')
const { chromium } = require('playwright-core')
const { findBrowser } = require('../../../scripts/lib/system-packages')

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage']

/** One browser, in which each person has a profile of their own. */
class People {
  static async open (url) {
    const people = new People()
    people.url = url
    people.browser = await chromium.launch({ executablePath: findBrowser() ?? 'chromium', args: FLAGS, timeout: 120_000 })
    return people
  }

  /** A person who has signed up, and has the page in front of them. */
  async signUp (name) {
    const context = await this.browser.newContext()
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    await page.goto(this.url)
    await page.evaluate(() => navigator.serviceWorker.ready)
    await page.fill('#name', name)
    await page.fill('#password', 'a secret')
    await page.click('text=Sign up')
    await page.locator('#who', { hasText: name }).waitFor()
    return new Person(name, context, page)
  }

  close () { return this.browser.close() }
}

/** What a person does on the page, and sees there. */
class Person {
  constructor (name, context, page) {
    Object.assign(this, { name, context, page })
  }

  list (title) { return this.page.locator('section', { has: this.page.locator('h2', { hasText: title }) }) }
  item (title) { return this.page.locator('li', { hasText: title }) }

  async addList (title) {
    await this.page.fill('#add-list input', title)
    await this.page.click('#add-list button')
    await this.list(title).waitFor()
  }

  async addItem (list, title) {
    await this.list(list).locator('.add-item input').fill(title)
    await this.list(list).locator('.add-item button').click()
    await this.item(title).waitFor()
  }

  async share (list, friend) {
    await this.list(list).locator('.share input').fill(friend)
    await this.list(list).locator('.share button').first().click()
    await this.list(list).locator('small', { hasText: 'shared' }).waitFor()
  }

  tick (title) { return this.item(title).locator('input').click() }

  /** Waits until the server has what this browser has. */
  inStep () { return this.state('in step') }

  state (text) { return this.page.locator('#state', { hasText: text }).waitFor() }

  /** The ids of documents in this browser's database. */
  ids () {
    return this.page.evaluate(async name => {
      const { rows } = await new window.PouchDB(`lists of ${name}`).allDocs()
      return rows.map(({ id }) => id)
    }, this.name)
  }

  async sees (title) { await this.page.getByText(title).filter({ visible: true }).first().waitFor() }
  async loses (title) { await this.page.getByText(title).first().waitFor({ state: 'detached' }) }
  async seesNothingOf (title) { assert.equal(await this.page.getByText(title).count(), 0) }
}

module.exports = { People }
