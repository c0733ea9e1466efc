'use strict'

const { measure } = require('./measure')
const { findDriver, findTrial } = require('./catalogue')
const { OwnMeter } = require('./meters')
const { ServerProcess } = require('../http/server-process')

/** Measures one pair, tells the parent, ends. */
process.once('message', async (job) => {
  try {
    process.send(await run(job), () => process.exit(0))
  } catch (error) {
    process.send({ error: error?.stack ?? String(error) }, () => process.exit(1))
  }
})

async function run (job) {
  const trial = findTrial(job.trial)
  const driver = findDriver(job.driver)
  const subject = await start(driver, job)
  const meter = driver.open ? new OwnMeter(() => subject.cpu?.() ?? 0) : subject
  const state = await trial.prepare(subject, {
    size: job.size ?? trial.size,
    folder: job.folder,
    driver: job.driver,
    reopen: () => driver.open(job.folder)
  })
  if (trial.figure) return { sample: { units: 1, figure: await trial.run(state) } }
  const answer = await measure(trial, state, meter, job)
  await state.close?.()
  await (state.current ?? subject).close()
  return answer
}

/** A server is another process than this one, and its own meter. */
function start ({ serve, connect, open }, { driver, folder }) {
  if (serve !== undefined) return ServerProcess.start(driver, folder)
  return connect === undefined ? open(folder) : connect()
}
