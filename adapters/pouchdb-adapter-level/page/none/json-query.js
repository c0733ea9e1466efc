'use strict'

/** Its planner would make up a third of what a page loads. */
function installJsonQuery () {}

module.exports = { installJsonQuery }
