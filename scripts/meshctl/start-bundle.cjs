'use strict'
// The main module of the single binary: evaluates the bundle among its assets, with compiled code if there is some. Code that was compiled
// for another processor is not used; V8 compiles what runs then.
const { getAssetKeys, getRawAsset } = require('node:sea')
const { Script } = require('node:vm')

// The bundle has ASCII alone.
const source = Buffer.from(getRawAsset('meshctl.js')).latin1Slice()
const cachedData = getAssetKeys().includes('meshctl.code') ? Buffer.from(getRawAsset('meshctl.code')) : undefined
const script = new Script(source, { filename: 'meshctl.js', cachedData })
script.runInThisContext()(require, { exports: {} }, __filename, __dirname)
