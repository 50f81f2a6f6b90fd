{
  "text": "tallyhand audit export\nd2d14919d9bd41796f3e6d8a295cfab442300e7b988b520d9e8c385eebf0a384\n",
  "keyId": "b469970a7564c265",
  "signature": "9znHUfNOQaj2G0fhh3u+cfr7DLL6l/SkMuI0q+0r8AuMEp6YsqeNJhOuVc3TZ6NqJonjYifKdirb2gzm2sDEAg=="
}
