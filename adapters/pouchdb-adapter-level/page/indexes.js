'use strict'

/** The part of @potoroo/indexes that the adapter uses. */
const { EmbeddedViews } = require('@potoroo/indexes/lib/embedded/embedded-views')
const { hasAllRows, pickFields } = require('@potoroo/indexes/lib/live/live-selector')

module.exports = { EmbeddedViews, hasAllRows, pickFields }
