{
  "text": "tallyhand audit export\n2b9f45658ab2896aa6f0695e6b1dc717658f5fab3337e2823a517b5bb6073785\n",
  "keyId": "b469970a7564c265",
  "signature": "gBM/7BY8kihzoFuCJIbzuj8VHp4KwypAStzzzy3kv2RsG4Ru9RwxJKlMr2tPJinlirzVTiiWok9xdzyNzAc6CQ=="
}
