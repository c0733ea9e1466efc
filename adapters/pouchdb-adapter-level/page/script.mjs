/* global PouchDB */

import { plugin } from './plugin.js'

PouchDB.plugin(plugin)
