import '../plugin.js'
import { historyOf } from '@potoroo/document-store/lib/history/entries'
import { allDocsAt, getAt } from '@potoroo/document-store/lib/history/at'
import { restore } from '@potoroo/document-store/lib/history/restore'
import { EmbeddedViews } from '@potoroo/indexes/lib/embedded/embedded-views'
import { purge, purges } from '@potoroo/document-store/lib/commit/purge'
import { provide } from './load.js'

provide({ EmbeddedViews, allDocsAt, getAt, historyOf, purge, purges, restore })
