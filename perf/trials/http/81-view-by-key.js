'use strict'

const { createViews, viewPath } = require('../../lib/http/view')

/** The row of one key, nothing changed since the view was built, by 10 clients. */
module.exports = {
  name: 'GET view?key=',
  unit: 'request',
  size: 1000,
  step: 250,
  async prepare (server, { size }) {
    return { size, client: await createViews(server, size, { connections: 10 }) }
  },
  async run ({ client, size }, start, step) {
    await client.concurrently(start, step, async (index) => {
      const number = index * 7919 % size
      const answer = await client.request('GET', viewPath('names', `key=%22Person%20number%20${number}%22`))
      if (!answer.includes(`"value":${number % 90}`)) throw new Error(`Not its row: ${answer}`)
    })
  }
}
