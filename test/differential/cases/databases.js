'use strict'

/** @type {import('../support/case').Case[]} */
module.exports = [
  {
    what: 'databases that are made wrongly',
    async run (db) {
      for (const query of ['?q=0', '?n=0', '?q=x', '?partitioned=x', '?engine=x', '?placement=x']) await db.ask('PUT', `-x${query}`)
      for (const name of ['A', '1a', 'a%20b', '_x', 'a.b']) await db.server('PUT', `/${name}`)
      await db.ask('PUT', '')
      for (const method of ['GET', 'HEAD', 'DELETE', 'POST']) await db.ask(method, '-none', method === 'POST' ? {} : undefined)
      await db.ask('DELETE', '?rev=1-a')
    }
  },
  {
    what: 'documents that are written wrongly',
    async run (db) {
      for (const [n, body] of ['', '{', '[]', '5', 'null', '{"_id":5}', '{"_id":"b"}', '{"_rev":"x"}', '{"_rev":5}', '{"_x":1}', '{"_deleted":"x"}', '{"_attachments":5}', '{"_attachments":{"_a":{"data":""}}}', '{"_attachments":{"a":{"data":"%"}}}', '{"_attachments":{"a":{"stub":true}}}', '{"_revisions":5}'].entries()) await db.put(`/a${n}`, body)
      for (const id of ['_x', '_design', '_design/', '_local/', '_all_docs', '_design%2fd']) await db.put(`/${id}`, {})
      await db.post('', { _id: 'p' })
      await db.post('', { _id: 'p' })
      await db.post('', '[]')
      for (const query of ['?rev=x', '?batch=x', '?new_edits=x', '?w=x', '?rev=1-a']) await db.put(`/q${query}`, {})
      await db.ask('DELETE', '/p')
      await db.ask('DELETE', '/none?rev=1-a')
      await db.ask('DELETE', '/p?rev=1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
      for (const destination of ['', 'x', 'x?rev=1-a', '_x', 'p', 'http://x/y']) await db.ask('COPY', '/p', undefined, { Destination: destination })
      await db.ask('COPY', '/p')
    }
  },
  {
    what: 'attachments of documents that are no objects',
    differs: true,
    async run (db) {
      await db.put('/a', { _attachments: { a: 5 } })
    }
  },
  {
    what: 'documents that are read in many ways',
    async run (db) {
      const { json: { rev } } = await db.put('/a', { n: 1, _attachments: { f: { content_type: 'text/plain', data: 'aGVsbG8=' } } })
      await db.put('/a', { n: 2, _rev: rev })
      for (const query of ['', `?rev=${rev}`, '?rev=9-a', '?rev=x', '?revs=true', '?revs_info=true', '?conflicts=true', '?local_seq=true', '?latest=true', `?rev=${rev}&latest=true`, '?open_revs=all', '?open_revs=x', '?open_revs=[]', '?open_revs=["x"]', `?open_revs=["${rev}","9-a"]`, '?attachments=true', `?rev=${rev}&attachments=true`, '?atts_since=x', '?atts_since=[]', '?revs=x', '?unknown=x']) await db.get(`/a${query}`)
      for (const path of ['/a/f', `/a/f?rev=${rev}`, '/a/none', '/none/f', '/a/f?rev=x', '/none', '/_design/none', '/_design/none/x']) await db.get(path)
    }
  },
  {
    what: '`meta=true` of a document',
    differs: true,
    async run (db) {
      await db.put('/a', {})
      await db.get('/a?meta=true')
    }
  },
  {
    what: 'ranges of documents',
    async run (db) {
      await db.post('/_bulk_docs', { docs: ['a', 'b', 'c', '_design/d'].map(_id => ({ _id })) })
      for (const query of ['', '?limit=1', '?limit=0', '?skip=2', '?descending=true', '?startkey="b"', '?start_key="b"&end_key="b"', '?key="b"', '?key="none"', '?keys=["c","none","a"]', '?keys=[]', '?keys=x', '?key=b', '?limit=x', '?limit=-1', '?skip=-1', '?include_docs=true&limit=1', '?update_seq=true&limit=0', '?inclusive_end=false&endkey="b"', '?startkey="c"&endkey="a"', '?descending=x', '?group=true', '?reduce=true', '?startkey_docid=b', '?conflicts=true&include_docs=true&limit=1', '?partition=x']) await db.get(`/_all_docs${query}`)
      for (const body of ['', '[]', '{"keys":5}', '{"keys":[5,null]}', '{"limit":1}', '{"limit":"x"}', '{"skip":1,"descending":true}', '{"include_docs":true,"keys":["a"]}']) await db.post('/_all_docs', body)
      for (const query of ['', '?limit=1', '?key="_design/d"']) await db.get(`/_design_docs${query}`)
      await db.post('/_all_docs/queries', { queries: [{ limit: 1 }, { keys: ['b'] }] })
      for (const body of [{}, { queries: 5 }, { queries: [5] }]) await db.post('/_all_docs/queries', body)
    }
  }
]
