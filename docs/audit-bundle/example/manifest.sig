{
  "text": "tallyhand audit export\n5dbd811c7f921ff0526e07eee19494cb0bc292bfa0f0c42f6b5ba744d8a565cf\n",
  "keyId": "b469970a7564c265",
  "signature": "6id9724BMUNpWua82dwLyN1sTRCaBpTB2fi7VuFIwkVsmoBavBlxtZ/J7Ns+KYe4whBUwBZCkYw/rjnEHUtTCQ=="
}
