'use strict'

/** Its planner would make up a third of what a page loads. */
module.exports = { installJsonQuery () {} }
