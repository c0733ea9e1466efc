/* global PouchDB */

import './indexes/part.mjs'
import { plugin } from './plugin.js'

PouchDB.plugin(plugin)
