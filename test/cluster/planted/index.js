'use strict'

const planted = [...require('./writes').planted, ...require('./reads').planted, ...require('./feeds').planted]

module.exports = { planted }
