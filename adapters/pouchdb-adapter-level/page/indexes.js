'use strict'

/** What the adapter uses of @potoroo/indexes. */
const { EmbeddedViews } = require('@potoroo/indexes/lib/embedded/embedded-views')
const { hasAllRows, pickFields } = require('@potoroo/indexes/lib/live/live-selector')

module.exports = { EmbeddedViews, hasAllRows, pickFields }
