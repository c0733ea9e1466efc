'use strict'

const { findDriver } = require('../run/catalogue')
const { OwnMeter } = require('../run/meters')

const meter = new OwnMeter()
let server = null

const ANSWERS = {
  async start ({ driver, folder }) {
    server = await findDriver(driver).serve({ folder, port: 0 })
    return { url: server.url }
  },
  collect: async () => ({ collected: await meter.collect() }),
  profile: async () => ({ started: await meter.profile() }),
  profiled: async () => ({ profile: await meter.profiled() }),
  close: async () => ({ closed: await server.close() })
}

process.on('message', async (message) => {
  try {
    const answer = await ANSWERS[message.question](message)
    process.send(answer, () => message.question === 'close' && process.exit(0))
  } catch (error) {
    process.send({ error: error.stack })
  }
})

// The measuring process has ended: nobody would stop this one.
process.on('disconnect', () => process.exit(1))
