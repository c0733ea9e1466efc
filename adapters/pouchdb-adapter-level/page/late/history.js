'use strict'

const { later, pagesLater } = require('./load')

/** Reads earlier versions of documents. */
const allDocsAt = later('allDocsAt')
const getAt = later('getAt')
const historyOf = pagesLater('historyOf')
const restore = pagesLater('restore')

module.exports = { allDocsAt, getAt, historyOf, restore }
